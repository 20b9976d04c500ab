/**
 * What every payment adapter must keep, tested with its provider or a simulator of it.
 */
import type { InitiatedPayment, PaymentAdapter, ProviderPayment, WebhookDelivery } from '@carton/payment';
import { newId, type TenantDatabase } from '@carton/runtime';
import type { Test } from 'tap';

export interface AdapterUnderTest {
  adapter: PaymentAdapter;
  /** Of a tenant who has an account with the provider. */
  db: TenantDatabase;
  /** Authorizes a payment as its shopper does at the provider. */
  authorize(payment: InitiatedPayment): Promise<unknown>;
  /** A webhook by which the provider reports the present state of a payment. */
  report(payment: ProviderPayment): WebhookDelivery | Promise<WebhookDelivery>;
}

const amountOf = (amount: number) => ({ amount, currency: 'EUR' });

/** Tests an adapter: payments of 30.00 EUR by its first method. */
export function testPaymentAdapter(t: Test, { adapter, db, authorize, report }: AdapterUnderTest): void {
  async function initiate(amount = 3000) {
    const [method = ''] = await adapter.methods(db);
    const intent = { id: newId(), cartId: newId(), orderId: null, method, amount: amountOf(amount), email: null };
    const initiated = await adapter.initiate(db, intent);
    const payment = { id: intent.id, reference: initiated.reference, method, amount: intent.amount };
    return { intent, initiated, payment, confirm: () => adapter.confirm(db, payment) };
  }
  async function authorized() {
    const started = await initiate();
    await authorize(started.initiated);
    return started;
  }

  t.test('it has a name for paths, and offers a method', async (t) => {
    t.match(adapter.name, /^[a-z0-9-]{1,60}$/);
    t.ok((await adapter.methods(db)).length > 0);
  });

  t.test('a payment is created once, and moves no money', async (t) => {
    const { intent, initiated, confirm } = await initiate();
    const again = await adapter.initiate(db, intent);
    t.equal(again.reference, initiated.reference);
    t.match(await confirm(), { status: 'pending', captured: 0, refunded: 0 });
  });

  t.test('what the shopper has authorized is captured once, and refunded in parts, each once', async (t) => {
    const { payment, confirm } = await authorized();
    t.match(await confirm(), { status: 'authorized', captured: 0, refunded: 0 });
    const capture = { id: newId(), payment, amount: payment.amount };
    for (let time = 0; time < 2; time++) await adapter.capture(db, capture);
    t.match(await confirm(), { status: 'captured', captured: 3000, refunded: 0 });
    const parts = [1000, 500].map((amount) => ({ id: newId(), payment, amount: amountOf(amount) }));
    for (const refund of [...parts, ...parts]) await adapter.refund(db, refund);
    t.match(await confirm(), { status: 'captured', captured: 3000, refunded: 1500 });
  });

  t.test('what is voided is captured no more', async (t) => {
    const { payment, confirm } = await authorized();
    const step = { id: newId(), payment, amount: payment.amount };
    for (let time = 0; time < 2; time++) await adapter.void(db, step);
    t.match(await confirm(), { status: 'voided', captured: 0 });
    const captured = await adapter.capture(db, { ...step, id: newId() }).catch((error) => {
      t.match(error, { type: { code: 'payment_refused' } }, 'a definite refusal, or the state');
      return { status: 'voided' };
    });
    t.match(captured, { status: 'voided' });
    t.match(await confirm(), { status: 'voided', captured: 0 });
  });

  t.test('a capture of part of the amount is what is refunded at most', async (t) => {
    const { payment, confirm } = await authorized();
    await adapter.capture(db, { id: newId(), payment, amount: amountOf(2000) });
    t.match(await confirm(), { captured: 2000, refunded: 0 });
    await t.rejects(adapter.refund(db, { id: newId(), payment, amount: amountOf(2500) }).then(refuseState));
    t.match(await confirm(), { captured: 2000, refunded: 0 });
  });

  t.test('a signed webhook reports the payment by its id; another body, or no signature, is rejected', async (t) => {
    const { payment, confirm } = await authorized();
    const delivery = await report(payment);
    const event = await adapter.readWebhook(db, delivery);
    t.match(event.payment, { id: payment.id, state: await confirm() });
    t.ok(event.id, 'an event is applied once by its id');
    t.equal((await adapter.readWebhook(db, delivery)).id, event.id);
    const others = [{ headers: {} }, { body: Buffer.concat([delivery.body, Buffer.from(' ')]) }];
    for (const changed of others) {
      const read = async () => adapter.readWebhook(db, { ...delivery, ...changed });
      const code = await read().then(
        () => null,
        (error) => error.type?.code,
      );
      t.equal(code, 'webhook_signature_invalid');
    }
  });
}

/** An adapter may return the state of what it did not do. */
function refuseState(outcome: unknown): void {
  if (outcome) throw new Error('not done');
}
