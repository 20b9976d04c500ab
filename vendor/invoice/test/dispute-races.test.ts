/**
 * A dispute against refunds and a cancellation of its order, at once, when it is opened and when it is decided: no more is
 * disputed and refunded than was paid, nothing is due again, and provider, order and credit notes agree.
 */
import { attachPayment, completePayments, confirmPayment, startPayment } from '@carton/payment';
import { newId } from '@carton/runtime';
import { raceRounds, until, untilDelivered } from '@carton/runtime/testing';
import { enableWebhooks, mismatchesAfterReconciliation, openStripeTenant } from '@carton/stripe/testing';
import t from 'tap';
import { draftOf, eur, invoicesOf, packages, place, seller, setInvoices } from './helpers.ts';

const tenant = await openStripeTenant(
  t,
  { packages, tier: 'basic' },
  {},
  { rates: { delayEvent: 0.5, maxEventDelay: 40, repeatEvent: 0.3 } },
);
const { box, simulator, shopper } = tenant;
const account = simulator.account();
await setInvoices(box, { ...seller, issueOn: 'payment' });
enableWebhooks(tenant);
t.setTimeout(3_600_000);

const total = 3000;

/** Places an order of three units that is paid by card. */
async function sell() {
  const cartId = newId();
  const started = await startPayment(box.db, { cartId, method: 'card', amount: eur(total), email: null });
  await shopper.pay(started.nextAction?.value as string, 'pm_card_visa');
  await confirmPayment(box.db, started);
  const line = { lineId: 'a', variantId: null, productId: null, sku: null, title: 'Shirt', variantTitle: null };
  const lines = [{ ...line, quantity: 3, unitAmount: 1000, totalAmount: total }];
  const { id: orderId, items } = await place(box, draftOf(total, { cartId, lines }));
  await box.db.transaction((tx) => attachPayment(tx, orderId, started));
  await completePayments(box.db, orderId);
  // Until its invoice is issued: a webhook may capture the payment, too, and its events then come later.
  await until(
    () => invoicesOf(box, orderId),
    (documents) => documents.length === 1,
  );
  await untilDelivered(box);
  return { orderId, id: started.id, intent: started.reference, lineItemId: items[0]?.id };
}

/** Starts the works in an order that depends on the round. */
function atOnce<T>(round: number, works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const at = round % works.length;
  return Promise.all([...works.slice(at), ...works.slice(0, at)].map((work) => work()));
}

t.test('a dispute against refunds and a cancellation', async (t) => {
  const outcomes = new Map<string, number>();
  for (let round = 0; round < raceRounds; round++) {
    const { orderId, id, intent, lineItemId } = await sell();
    const charge = account.chargeOf(account.find(intent));
    const refund = (body: object) => () => box.staff.post(`/admin/payments/${id}/refunds`, body);
    const cancel = () => box.staff.post(`/admin/orders/${orderId}/cancel`, {});
    const isCanceled = round % 3 === 0;
    const isPartial = round % 2 === 0;
    const opening = async () => {
      const left = total - (charge?.amount_refunded ?? 0);
      if (left > 0) account.dispute(intent, { amount: isPartial ? Math.min(1000, left) : left });
      return null;
    };
    const requests = [
      refund({ amount: eur(700) }),
      refund({ items: [{ lineItemId, quantity: 1 }] }),
      ...(isCanceled ? [cancel] : []),
    ];
    const check = async (when: string) => {
      await simulator.webhooks.flush();
      await untilDelivered(box);
      const { paid, refunded, disputed, balance, status } = (await box.staff.get(`/admin/orders/${orderId}`)).body;
      const withdrawn = account.disputes
        .filter((dispute) => dispute.payment_intent === intent)
        .flatMap((dispute) => dispute.balance_transactions)
        .reduce((sum, { amount }) => sum - amount, 0);
      t.equal(paid.amount, total);
      t.equal(disputed.amount, withdrawn, `what the provider has withdrawn, ${when}`);
      t.ok(refunded.amount + disputed.amount <= total, `no more than was paid, ${when}`);
      t.ok(balance.amount <= 0, `nothing is due again, ${when}`);
      return { refunded, disputed, balance, status };
    };
    const expected = [201, 200, 409];
    for (const answer of await atOnce(round, [opening, ...requests])) {
      if (answer) t.ok(expected.includes(answer.status), `${answer.status} ${answer.body?.code}`);
    }
    await check('while it is open');
    const dispute = account.disputes.find((each) => each.payment_intent === intent);
    const outcome = round % 4 < 2 ? 'won' : 'lost';
    const decision = async () => {
      if (dispute) account.changeDispute(dispute, outcome);
      return null;
    };
    for (const answer of await atOnce(round, [decision, ...requests])) {
      if (answer) t.ok(expected.includes(answer.status), `${answer.status} ${answer.body?.code}`);
    }
    await check('once it is decided');
    t.strictSame(await mismatchesAfterReconciliation(tenant), [], 'the provider has what the box has');
    const { status, refunded, disputed, balance } = await check('at the end');
    t.equal(balance.amount, 0, `nothing is owed either way to the ${status} order`);
    t.equal(disputed.amount, dispute && outcome === 'lost' ? dispute.amount : 0);
    if (status === 'canceled') t.equal(refunded.amount + disputed.amount, total);
    const documents = await invoicesOf(box, orderId);
    const sumOf = (kind: string) =>
      documents.filter((each) => each.kind === kind).reduce((sum, { totals }) => sum + totals.total.amount, 0);
    t.equal(sumOf('invoice'), total);
    t.equal(sumOf('credit_note'), status === 'canceled' ? total : refunded.amount, 'credit notes');
    const what = `${status} ${outcome} ${refunded.amount} refunded ${disputed.amount} disputed`;
    outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  }
  t.comment([...outcomes].map(([what, count]) => `${count} × ${what}`).join('; '));
});
