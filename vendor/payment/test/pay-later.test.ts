/**
 * An order can be paid later by its link, and no more is kept than is owed.
 */

import { ageByTwoDays } from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import { exactly, until } from '@carton/runtime/testing';
import { enableWebhooks, mismatchesAfterReconciliation, openStripeTenant } from '@carton/stripe/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { packages, pay, place, statusOf } from './helpers.ts';

const tenant = await openStripeTenant(t, { packages }, { PAYMENT_ADAPTERS: 'stripe,manual' });
const { box, simulator, shopper } = tenant;
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const open = (orderId: string, paymentMethod = 'card') =>
  box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });
const secretOf = ({ body }: Awaited<ReturnType<typeof open>>) => body.nextAction.value as string;
const balanceOf = async (orderId: string) => (await box.staff.get(`/admin/orders/${orderId}`)).body.balance.amount;
const entryOf = (id: string) => simulator.ledger().find(({ metadata }) => metadata.payment_id === id);
const refundsOf = (reference: string) =>
  simulator.account().refunds.filter(({ payment_intent: of }) => of === reference).length;

/** Method, status, captured and refunded amount of each payment of an order, oldest first. */
async function paymentsOf(orderId: string): Promise<unknown[]> {
  const { body } = await box.staff.get(`/admin/payments?orderId=${orderId}`);
  return body.items
    .toReversed()
    .map(({ method, status, captured, refunded }: Record<string, { amount: number }>) => [
      method,
      status,
      captured?.amount,
      refunded?.amount,
    ]);
}

t.beforeEach(async () => {
  await simulator.webhooks.flush();
  enableWebhooks(tenant);
});
t.test('a visitor with only the link can pay', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const session = await open(orderId);
  t.match(session, {
    status: 201,
    body: { provider: 'stripe', method: 'card', amount: eur(2500), nextAction: { type: 'client_secret' } },
  });
  t.strictSame(entryOf(session.body.id)?.metadata, {
    payment_id: session.body.id,
    tenant_id: box.id,
    order_id: orderId,
  });
  t.equal(await statusOf(box, orderId), 'unpaid');
  t.equal((await open(orderId)).body.id, session.body.id, 'a second request returns the same session');
  t.equal(await shopper.pay(secretOf(session)), 'requires_capture');
  await simulator.webhooks.flush();
  t.equal(await statusOf(box, orderId), 'paid');
  t.strictSame(await paymentsOf(orderId), [['card', 'captured', 2500, 0]]);
  t.match(await open(orderId), { status: 409, body: { code: 'nothing_to_pay' } });
});

t.test('without webhooks the box looks up the payment', async (t) => {
  simulator.listen([]);
  const { id: orderId } = await place(box, 2500);
  await shopper.pay(secretOf(await open(orderId)));
  await ageByTwoDays(box.db);
  // The box may look it up at the same moment, and has claimed it then.
  const found = async () => {
    await reconcile(box.db);
    return statusOf(box, orderId);
  };
  t.equal(await until(found, (status) => status !== 'unpaid'), 'paid');
});

t.test('concurrent requests open one session', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const responses = await Promise.all(Array.from({ length: 5 }, () => open(orderId)));
  t.strictSame([...new Set(responses.map(({ status }) => status))], [201]);
  t.equal(new Set(responses.map(({ body }) => body.id)).size, 1);
  t.strictSame(await paymentsOf(orderId), [['card', 'pending', 0, 0]]);
  t.equal(simulator.ledger().filter(({ metadata }) => metadata.order_id === orderId).length, 1);
});

t.test('another method replaces the pending payment, which is voided', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const card = await open(orderId);
  t.match(await open(orderId, 'bank_transfer'), { status: 201, body: { provider: 'manual', amount: eur(2500) } });
  t.strictSame(await paymentsOf(orderId), [
    ['card', 'voided', 0, 0],
    ['bank_transfer', 'pending', 0, 0],
  ]);
  t.equal(await statusOf(box, orderId), 'unpaid', 'a payment is still pending');
  t.match(await shopper.pay(secretOf(card)), /unexpected_state/, 'the first can no longer be paid');
  await shopper.pay(secretOf(await open(orderId)));
  await simulator.webhooks.flush();
  t.strictSame(await paymentsOf(orderId), [
    ['card', 'voided', 0, 0],
    ['bank_transfer', 'voided', 0, 0],
    ['card', 'captured', 2500, 0],
  ]);
  t.equal(await balanceOf(orderId), 0);
});

t.test('a replaced payment that was paid before it could be voided is not captured', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const card = await open(orderId);
  simulator.listen([]);
  await shopper.pay(secretOf(card));
  simulator.faults = (operation) => (operation === 'cancel' ? { status: 500 } : null);
  await open(orderId, 'bank_transfer');
  simulator.faults = () => null;
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.match(entryOf(card.body.id), { held: 0, captured: 0 });
  t.equal(await balanceOf(orderId), 2500);
});

t.test('after a declined card the shopper can try again', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const first = await open(orderId);
  t.equal(await shopper.pay(secretOf(first), 'pm_card_chargeDeclined'), 'card_declined');
  await simulator.webhooks.flush();
  const second = await open(orderId);
  t.not(second.body.id, first.body.id);
  await shopper.pay(secretOf(second));
  await simulator.webhooks.flush();
  t.strictSame(await paymentsOf(orderId), [
    ['card', 'voided', 0, 0],
    ['card', 'captured', 2500, 0],
  ]);
});

t.test('for a partially paid order, the session is for the rest', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const whole = await open(orderId);
  await pay(box, orderId, 1000);
  const rest = await open(orderId);
  t.match(rest, { status: 201, body: { amount: eur(1500) } });
  t.match(entryOf(whole.body.id), { status: 'canceled' }, 'the session for the full amount is voided');
  await shopper.pay(secretOf(rest));
  await simulator.webhooks.flush();
  t.equal(await statusOf(box, orderId), 'paid');
  t.equal(await balanceOf(orderId), 0);
});

t.test('no more is captured than is still owed', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const session = await open(orderId);
  await pay(box, orderId, 1000);
  await shopper.pay(secretOf(session));
  await simulator.webhooks.flush();
  t.match(entryOf(session.body.id), { held: 0, captured: 1500, refunded: 0 });
  t.equal(await statusOf(box, orderId), 'paid');
  t.equal(await balanceOf(orderId), 0);
});

t.test('an authorization is voided if the order was paid otherwise', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const session = await open(orderId);
  await pay(box, orderId, 2500);
  await shopper.pay(secretOf(session));
  await simulator.webhooks.flush();
  t.match(entryOf(session.body.id), { held: 0, captured: 0 });
  t.strictSame(await paymentsOf(orderId), [
    ['card', 'voided', 0, 0],
    ['bank_transfer', 'captured', 2500, 0],
  ]);
  t.equal(await statusOf(box, orderId), 'paid');
});

t.test('a capture is refunded once if the order was paid otherwise meanwhile', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const session = await open(orderId);
  // The capture succeeds, but neither its response nor its webhook arrives.
  simulator.faults = (operation, moment) => {
    if (operation !== 'capture') return null;
    simulator.listen([]);
    return moment === 'after' ? { lose: true } : null;
  };
  await shopper.pay(secretOf(session));
  await simulator.webhooks.flush();
  simulator.faults = () => null;
  t.match(entryOf(session.body.id), { captured: 2500, refunded: 0 });
  t.match(await pay(box, orderId, 2500), { status: 201 });
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.match(entryOf(session.body.id), { captured: 2500, refunded: 2500 });
  t.equal(refundsOf(session.body.reference), 1);
  t.strictSame(await paymentsOf(orderId), [
    ['card', 'captured', 2500, 2500],
    ['bank_transfer', 'captured', 2500, 0],
  ]);
  t.equal(await balanceOf(orderId), 0);
});

t.test('money received after a cancellation is refunded once', async (t) => {
  const { id: orderId } = await place(box, 2500);
  const session = await open(orderId);
  simulator.listen([]);
  await shopper.pay(secretOf(session));
  // The provider captures by itself, as methods without authorization do.
  simulator.account().capture(session.body.reference, {});
  await box.staff.post(`/admin/orders/${orderId}/cancel`);
  await Promise.all([reconcile(box.db), reconcile(box.db)]);
  for (let round = 0; round < 3; round++) {
    await ageByTwoDays(box.db);
    await Promise.all([reconcile(box.db), reconcile(box.db)]);
  }
  t.match(entryOf(session.body.id), { held: 0, captured: 2500, refunded: 2500, duplicates: 0 });
  t.equal(refundsOf(session.body.reference), 1);
  t.strictSame(await paymentsOf(orderId), [['card', 'captured', 2500, 2500]]);
  t.match(
    (await box.staff.get(`/admin/refunds?orderId=${orderId}`)).body.items,
    exactly([{ status: 'succeeded', amount: eur(2500), reason: 'The order was canceled' }]),
  );
  t.match(await open(orderId), { status: 409, body: { code: 'order_already_canceled' } });
});

t.test('staff capture no more than is owed', async (t) => {
  const [{ id }] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${id}`, { captureMode: 'manual' });
  t.teardown(() => box.staff.patch(`/admin/payment-methods/${id}`, { captureMode: 'automatic' }));
  const { id: orderId } = await place(box, 2500);
  const session = await open(orderId);
  await shopper.pay(secretOf(session));
  await simulator.webhooks.flush();
  t.equal(await statusOf(box, orderId), 'authorized');
  t.match(await open(orderId), { status: 409, body: { code: 'nothing_to_pay' } }, 'all of it is authorized');
  await pay(box, orderId, 1000);
  const capture = (amount?: number) =>
    box.staff.post(`/admin/payments/${session.body.id}/capture`, amount ? { amount: eur(amount) } : undefined);
  t.match(await capture(1501), { status: 409, body: { detail: 'At most 15.00 EUR is left to capture.' } });
  t.match(await capture(), { status: 200, body: { captured: eur(1500) } });
  t.equal(await balanceOf(orderId), 0);
});

t.test('a payment whose initiation failed can be replaced', async (t) => {
  const { id: orderId } = await place(box, 2500);
  simulator.faults = (operation) => (operation === 'create' ? { lose: true } : null);
  t.match(await open(orderId), { status: 502 });
  simulator.faults = () => null;
  t.match(await open(orderId, 'bank_transfer'), { status: 201 });
  t.strictSame(await paymentsOf(orderId), [
    ['card', 'voided', 0, 0],
    ['bank_transfer', 'pending', 0, 0],
  ]);
});

t.test('what cannot be paid is an error', async (t) => {
  const { id } = await place(box, 2500);
  t.match(await open(newId()), { status: 404, body: { code: 'not_found' } });
  const other = await box.openTenant();
  t.match(await other.visitor().post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'card' }), { status: 404 });
  t.match(await open(id, 'shells'), { status: 400, body: { code: 'payment_method_unknown' } });
  t.match(await open((await place(box, 0)).id), { status: 409, body: { code: 'nothing_to_pay' } });
  t.strictSame(await paymentsOf(id), []);
});

t.test('after all tests provider and box agree to the minor unit', async (t) => {
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
});
