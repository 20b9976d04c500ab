/**
 * Disputes that the box learns of late, after the provider has refused a refund because of them; and refunds of an order
 * of which one payment is in dispute.
 */

import { attachPayment, completePayments, confirmPayment, refundOrder } from '@carton/payment';
import { newId } from '@carton/runtime';
import { exactly, until } from '@carton/runtime/testing';
import { cardSales, openStripeTenant, sign, webhookSecret } from '@carton/stripe/testing';
import t from 'tap';
import { closeCanceled } from '../steps/cancellation.ts';
import { packages, place, timelineOf } from './helpers.ts';

const tenant = await openStripeTenant(t, { packages });
const { box, simulator } = tenant;
const { begin, order } = cardSales(tenant);
const account = simulator.account();
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const orderOf = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const atProvider = (id: string) => simulator.ledger().find(({ metadata }) => metadata.payment_id === id);
simulator.listen([]);

async function sell(total: number) {
  const paid = await begin(total, 'pm_card_visa');
  return { ...(await order(paid)), intent: paid.started.reference };
}

/** What has happened at the provider; returned is what tells the box of it. */
function report(happens: () => void): () => Promise<void> {
  const { length } = simulator.webhooks.events;
  happens();
  const bodies = simulator.webhooks.events.slice(length).map(({ body }) => body);
  return async () => {
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json', 'stripe-signature': sign(body, webhookSecret) };
      t.match(await box.visitor().post('/payments/webhooks/stripe', body, { headers }), { status: 204 });
    }
  };
}

async function cancel(orderId: string): Promise<void> {
  t.match(await box.staff.post(`/admin/orders/${orderId}/cancel`, {}), { status: 200 });
}

/** Sends the pending refund, and waits for its end: the box may be sending it. */
async function sendRefund(orderId: string, id: string): Promise<void> {
  await until(
    async () => {
      await closeCanceled(box.db, orderId).catch(() => {});
      return (await box.staff.get(`/admin/payments/${id}`)).body.transactions as { status: string }[];
    },
    (steps) => steps.every(({ status }) => status !== 'pending'),
  );
}

t.test('a canceled order whose refund was refused is refunded once its dispute is won', async (t) => {
  const outcomes = [
    { amount: 3000, outcome: 'won', refunded: 3000, disputed: 0 },
    { amount: 1000, outcome: 'won', refunded: 3000, disputed: 0 },
    { amount: 1000, outcome: 'lost', refunded: 2000, disputed: 1000 },
    { amount: 3000, outcome: 'lost', refunded: 0, disputed: 3000 },
  ] as const;
  for (const { amount, outcome, refunded, disputed } of outcomes) {
    for (const when of ['before the refund is sent', 'after it was refused']) {
      const what = `${amount} ${outcome}, reported ${when}`;
      const { orderId, id, intent } = await sell(3000);
      const opened = report(() => account.dispute(intent, { amount }));
      simulator.faults = (operation) => (operation === 'list_refunds' ? { lose: true } : null);
      await cancel(orderId);
      if (when.startsWith('before')) await opened();
      simulator.faults = () => null;
      await sendRefund(orderId, id);
      t.match(atProvider(id), { refunded: 0 }, what);
      const told = (await timelineOf(box, orderId)).filter((note) => note.includes('refused'));
      const late =
        'The refund of 30.00 EUR by card was refused: the payment is disputed at stripe; do not pay it back by other means before that is decided';
      t.strictSame(told, when.startsWith('after') ? [late] : [], what);
      await opened();
      t.match(await orderOf(orderId), { balance: eur(amount - 3000), disputed: eur(amount) }, what);
      const decided = report(() => {
        account.changeDispute(account.disputes.at(-1) as (typeof account.disputes)[number], outcome);
      });
      await decided();
      await decided();
      await sendRefund(orderId, id);
      t.match(atProvider(id), { refunded, duplicates: 0 }, what);
      t.match(await orderOf(orderId), {
        ...{ paymentStatus: refunded === 0 ? 'paid' : refunded === 3000 ? 'refunded' : 'partially_refunded' },
        ...{ balance: eur(0), refunded: eur(refunded), disputed: eur(disputed) },
      });
    }
  }
});

t.test('a dispute that begins and ends while the provider is asked for the refund', async (t) => {
  const { orderId, id, intent } = await sell(3000);
  const opened = report(() => account.dispute(intent));
  simulator.faults = (operation) => (operation === 'list_refunds' ? { lose: true } : null);
  await cancel(orderId);
  const refused = Promise.withResolvers<void>();
  simulator.faults = (operation, moment) => {
    if (operation !== 'refund' || moment !== 'after') return null;
    refused.resolve();
    // Reports that take longer lead to the same end.
    return { delay: 1500 };
  };
  const sent = sendRefund(orderId, id);
  await refused.promise;
  simulator.faults = () => null;
  await opened();
  await report(() => account.changeDispute(account.disputes.at(-1) as (typeof account.disputes)[number], 'won'))();
  await sent;
  await sendRefund(orderId, id);
  t.match(atProvider(id), { refunded: 3000, duplicates: 0 });
  t.match(await orderOf(orderId), { balance: eur(0), refunded: eur(3000), disputed: eur(0) });
});

t.test('what the provider refuses after a dispute is decided is left to staff', async (t) => {
  const { orderId, id, intent } = await sell(3000);
  await report(() => account.dispute(intent))();
  await cancel(orderId);
  const dispute = account.disputes.at(-1) as (typeof account.disputes)[number];
  const won = report(() => account.changeDispute(dispute, 'won'));
  // The provider goes on refusing.
  dispute.is_charge_refundable = false;
  await won();
  await sendRefund(orderId, id);
  await won();
  t.match(atProvider(id), { refunded: 0 });
  const notes = (await timelineOf(box, orderId)).filter((note) => note.includes('must be paid back'));
  t.strictSame(notes, ['30.00 EUR must be paid back: the refund by card was refused']);
});

/** Places an order that two payments by card have paid. */
async function sellTwice(first: number, second: number) {
  const [older, newer] = [await begin(first, 'pm_card_visa'), await begin(second, 'pm_card_visa')];
  const { id: orderId } = await place(box, first + second, { cartId: older.cartId });
  for (const { started } of [older, newer]) {
    await confirmPayment(box.db, started);
    await box.db.transaction((tx) => attachPayment(tx, orderId, started));
  }
  await completePayments(box.db, orderId);
  t.match(await orderOf(orderId), { paymentStatus: 'paid', paid: eur(first + second) });
  return {
    orderId,
    ids: [older.started.id, newer.started.id],
    intents: [older, newer].map((a) => a.started.reference),
  };
}

t.test('an order is refunded from the payments that are not in dispute', async (t) => {
  const { orderId, ids, intents } = await sellTwice(2000, 3000);
  const refund = (amount: number) => refundOrder(box.db, orderId, { workId: newId(), amount: eur(amount) });
  await report(() => account.dispute(intents[1] as string, { amount: 1000 }))();
  t.match(await refund(500).catch(String), exactly([{ paymentId: ids[0], amount: eur(500), status: 'succeeded' }]));
  await t.rejects(refund(1501), {
    type: { code: 'payment_disputed' },
    message: 'At most 15.00 EUR can be refunded: the rest is in dispute, or was lost in a dispute in another currency.',
  });
  await t.rejects(refund(3501), {
    type: { code: 'payment_step_not_possible' },
    message:
      'At most 35.00 EUR is left to refund, of which 15.00 EUR can be refunded: the rest is in dispute, or was lost in a dispute in another currency.',
  });
  t.match(await refund(1500), exactly([{ paymentId: ids[0], amount: eur(1500), status: 'succeeded' }]));
  await t.rejects(refund(1), {
    message: 'At most 0.00 EUR can be refunded: the rest is in dispute, or was lost in a dispute in another currency.',
  });
  const dispute = account.disputes.at(-1) as (typeof account.disputes)[number];
  await report(() => account.changeDispute(dispute, 'lost'))();
  t.match(await refund(2000), exactly([{ paymentId: ids[1], amount: eur(2000), status: 'succeeded' }]));
  await t.rejects(refund(1), { message: 'At most 0.00 EUR is left to refund.' });
  t.match(await orderOf(orderId), { refunded: eur(4000), disputed: eur(1000), balance: eur(0) });
});
