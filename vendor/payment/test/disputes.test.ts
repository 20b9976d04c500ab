/**
 * Disputes, as Stripe reports them: what they take is neither due nor refunded, whatever the order of the reports.
 */

import { newId } from '@carton/runtime';
import { eventsOf, exactly, type TestTenant } from '@carton/runtime/testing';
import { cardSales, type Dispute, enableWebhooks, openStripeTenant, sign, webhookSecret } from '@carton/stripe/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { closeCanceled } from '../steps/cancellation.ts';
import { packages, timelineOf } from './helpers.ts';

const tenant = await openStripeTenant(t, { packages });
const { box, simulator } = tenant;
const { begin, order } = cardSales(tenant);
const account = simulator.account();
const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** Places an order that is paid by card. Webhooks are sent from then on if `live`. */
async function sell(total: number, { live = true } = {}) {
  simulator.listen([]);
  const paid = await begin(total, 'pm_card_visa');
  const sold = await order(paid);
  if (live) enableWebhooks(tenant);
  return { ...sold, intent: paid.started.reference };
}

const orderOf = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const paymentOf = async (id: string) => (await box.staff.get(`/admin/payments/${id}`)).body;
const refund = (id: string, body: unknown = {}) => box.staff.post(`/admin/payments/${id}/refunds`, body);
const listed = async (query: string) => (await box.staff.get(`/admin/disputes?${query}`)).body.items;
const atProvider = (id: string) => simulator.ledger().find(({ metadata }) => metadata.payment_id === id);

async function dispute(intent: string, options?: Parameters<typeof account.dispute>[1]): Promise<Dispute> {
  const opened = account.dispute(intent, options);
  await simulator.webhooks.flush();
  return opened;
}

async function change(of: Dispute, status: Dispute['status']): Promise<void> {
  account.changeDispute(of, status);
  await simulator.webhooks.flush();
}

t.test('a dispute takes the money, which is neither due again nor refunded', async (t) => {
  const { orderId, id, intent } = await sell(3000);
  const { id: reference, ...opened } = await dispute(intent);
  t.match(await orderOf(orderId), {
    ...{ status: 'placed', paymentStatus: 'paid' },
    ...{ paid: eur(3000), refunded: eur(0), disputed: eur(3000), balance: eur(0) },
  });
  t.match(await paymentOf(id), { status: 'captured', captured: eur(3000), disputed: eur(3000) });
  const respondBy = new Date((opened.evidence_details.due_by as number) * 1000).toISOString();
  t.match(
    await listed(`orderId=${orderId}`),
    exactly([
      {
        ...{ paymentId: id, orderId, provider: 'stripe', method: 'card', reference, status: 'open' },
        ...{ reason: 'product_not_received', amount: eur(3000), withdrawn: eur(3000), respondBy },
      },
    ]),
  );
  t.strictSame((await timelineOf(box, orderId)).slice(0, 2), [
    `30.00 EUR by card is disputed (product not received), 30.00 EUR was withdrawn; respond at stripe by ${respondBy.slice(0, 10)}; do not pay it back by other means`,
    `30.00 EUR by card is disputed (product not received); respond at stripe by ${respondBy.slice(0, 10)}; do not pay it back by other means`,
  ]);
  const { length } = simulator.calls;
  for (const body of [{}, { amount: eur(1) }]) {
    t.match(await refund(id, body), { status: 409, body: { code: 'payment_disputed' } });
  }
  t.equal(simulator.calls.length, length, 'the provider is not asked');
  t.match(await box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod: 'card' }), {
    status: 409,
    body: { code: 'nothing_to_pay' },
  });

  await change({ ...opened, id: reference }, 'needs_response');
  const known = account.disputes.find((each) => each.id === reference) as Dispute;
  await change(known, 'under_review');
  t.match(await listed(`paymentId=${id}`), exactly([{ status: 'open', respondBy: null }]), 'staff have responded');
  await change(known, 'lost');
  t.match(await orderOf(orderId), { paymentStatus: 'paid', disputed: eur(3000), balance: eur(0) });
  t.match(await refund(id), {
    status: 409,
    body: { detail: 'Disputes have taken 30.00 EUR of this payment, so nothing is left to refund.' },
  });
  t.equal((await timelineOf(box, orderId))[0], 'The dispute of 30.00 EUR by card was lost: it is not due again');
  const [{ id: disputeId }] = await listed(`orderId=${orderId}`);
  t.strictSame(
    (await eventsOf(box, disputeId)).map(({ type }) => type),
    ['dispute.opened', 'dispute.closed'],
  );
  t.match(await box.staff.get(`/admin/disputes/${disputeId}`), { status: 200, body: { status: 'lost' } });
});

t.test('what is left beside a dispute can be refunded once it is decided', async (t) => {
  const won = await sell(3000);
  const first = await dispute(won.intent);
  await change(first, 'won');
  t.match(await orderOf(won.orderId), { disputed: eur(0), balance: eur(0) });
  t.match(await refund(won.id), { status: 201, body: { amount: eur(3000) } });

  const lost = await sell(3000);
  const second = await dispute(lost.intent, { amount: 1000 });
  await change(second, 'lost');
  t.match(await refund(lost.id, { amount: eur(2001) }), { status: 409 });
  t.match(await orderOf(lost.orderId), { paid: eur(3000), disputed: eur(1000), balance: eur(0) });
  await change(second, 'won');
  t.match(await paymentOf(lost.id), { disputed: eur(0) }, 'a decision is reversed');
});

t.test('a payment that was made twice is returned once, while one of both is in dispute', async (t) => {
  const outcomes = [
    // What is refunded beside a lost dispute is no excess any more: that was returned by it.
    ['won', [3000, 0], 0],
    ['lost', [0, 3000], 3000],
  ] as const;
  for (const [outcome, [excess, charged], disputed] of outcomes) {
    const { orderId, id, intent } = await sell(3000);
    await box.owner.query(
      `insert into payments (tenant_id, id, order_id, provider, method, capture_mode, status, currency, amount,
                             captured_amount)
       values ($1, $2, $3, 'offline', 'bank_transfer', 'automatic', 'captured', 'EUR', 3000, 3000)`,
      [box.id, newId(), orderId],
    );
    await box.owner.query('update orders set paid_amount = 6000 where tenant_id = $1 and id = $2', [box.id, orderId]);
    const { items } = (await box.staff.get(`/admin/payments?orderId=${orderId}&provider=offline`)).body;
    const opened = await dispute(intent);
    t.match(await orderOf(orderId), { balance: eur(0), disputed: eur(3000) });
    if (outcome === 'lost') await change(opened, outcome);
    const refunded = await refund(items[0].id);
    t.match(refunded, { status: 201, body: { amount: eur(3000), excess: eur(excess) } }, outcome);
    if (outcome === 'won') await change(opened, outcome);
    t.match(await orderOf(orderId), { balance: eur(0), disputed: eur(disputed) }, outcome);
    t.match(atProvider(id), { refunded: 0 }, 'the store keeps what it has won');
    t.match((await orderOf(orderId)).items, exactly([{ refunded: { amount: eur(charged) } }]));
  }
});

t.test('an inquiry takes nothing, and can be ended by a refund', async (t) => {
  const { orderId, id, intent } = await sell(3000);
  const inquiry = await dispute(intent, { isInquiry: true });
  t.match(await listed(`orderId=${orderId}&status=inquiry`), exactly([{ withdrawn: eur(0) }]));
  t.match(await orderOf(orderId), { disputed: eur(0), balance: eur(0) });
  t.match(await refund(id, { amount: eur(1000) }), { status: 201 });
  await change(inquiry, 'needs_response');
  t.match(await refund(id, { amount: eur(1000) }), { status: 409, body: { code: 'payment_disputed' } });
  const other = await sell(3000);
  await change(await dispute(other.intent, { isInquiry: true }), 'warning_closed');
  t.match(await listed(`orderId=${other.orderId}`), exactly([{ status: 'closed', respondBy: null }]));
});

t.test('a canceled order gets back what is not lost, once that is decided', async (t) => {
  const outcomes = [
    ['won', 3000, 0],
    ['lost', 2000, 1000],
  ] as const;
  for (const [outcome, refunded, disputed] of outcomes) {
    const { orderId, id, intent } = await sell(3000);
    const opened = await dispute(intent, { amount: 1000 });
    t.match(await box.staff.post(`/admin/orders/${orderId}/cancel`, {}), { status: 200 });
    await closeCanceled(box.db, orderId);
    await reconcile(box.db);
    t.match(atProvider(id), { refunded: 0 }, 'not while it is open');
    t.match(await orderOf(orderId), { balance: eur(-2000), disputed: eur(1000) });
    await change(opened, outcome);
    t.match(atProvider(id), { refunded, duplicates: 0 }, outcome);
    t.match(await orderOf(orderId), { balance: eur(0), refunded: eur(refunded), disputed: eur(disputed) });
  }
});

/** All orders of the elements. */
function permutations<T>(elements: readonly T[]): T[][] {
  if (elements.length === 0) return [[]];
  return elements.flatMap((first, at) => permutations(elements.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

const deliver = (body: string, to: TestTenant = box) =>
  to.visitor().post('/payments/webhooks/stripe', body, {
    headers: { 'content-type': 'application/json', 'stripe-signature': sign(body, webhookSecret) },
  });

t.test('late, repeated and reordered reports lead to the same state', async (t) => {
  for (const sequence of permutations([0, 1, 2, 3])) {
    const { orderId, intent } = await sell(3000, { live: false });
    const { length } = simulator.webhooks.events;
    const opened = account.dispute(intent);
    account.changeDispute(opened, 'lost');
    account.changeDispute(opened, 'won');
    const bodies = simulator.webhooks.events.slice(length, length + 4).map(({ body }) => body);
    for (const at of [...sequence, ...sequence]) t.match(await deliver(bodies[at] as string), { status: 204 });
    t.match(await orderOf(orderId), { disputed: eur(0), balance: eur(0) }, sequence.join());
    t.match(await listed(`orderId=${orderId}`), exactly([{ status: 'won' }]));
  }
});

t.test('a report of the same second does not return what was withdrawn', async (t) => {
  for (const sequence of permutations([0, 1])) {
    const { orderId, intent } = await sell(3000, { live: false });
    const { length } = simulator.webhooks.events;
    account.dispute(intent);
    const events = simulator.webhooks.events
      .slice(length)
      .map(({ body }) => ({ ...JSON.parse(body), created: 1_800_000_000 }));
    t.equal(events.length, 2);
    for (const at of sequence) t.match(await deliver(JSON.stringify(events[at])), { status: 204 });
    t.match(await orderOf(orderId), { disputed: eur(3000), balance: eur(0) }, sequence.join());
  }
});

t.test('a decision may be appealed, and what ended without one follows the money', async (t) => {
  const { orderId, intent } = await sell(3000, { live: false });
  const opened = account.dispute(intent);
  let created = 1_800_000_000;
  const report = async (over: object) => {
    created += 60;
    const event = {
      id: `evt_${newId()}`,
      type: 'charge.dispute.updated',
      created,
      data: { object: { ...opened, ...over } },
    };
    t.match(await deliver(JSON.stringify(event)), { status: 204 });
    const [{ status, withdrawn, respondBy }] = await listed(`orderId=${orderId}`);
    return [status, withdrawn.amount, respondBy !== null];
  };
  t.strictSame(await report({ status: 'lost' }), ['lost', 3000, false]);
  t.strictSame(await report({ status: 'appeal_needs_response' }), ['open', 3000, true]);
  t.strictSame(await report({ status: 'won', balance_transactions: [] }), ['won', 0, false]);
  t.strictSame(await report({ status: 'lost' }), ['lost', 3000, false]);
  t.strictSame(await report({ status: 'prevented' }), ['closed', 3000, false]);
  t.strictSame(await report({ status: 'prevented', balance_transactions: [] }), ['closed', 0, false]);
});

t.test('a dispute of no payment here, or in another currency, is not booked', async (t) => {
  const { orderId, id, intent } = await sell(3000, { live: false });
  const send = (over: object) => {
    const body = {
      ...account.disputes[0],
      ...{ id: `dp_${newId()}`, payment_intent: intent, amount: 3000, currency: 'eur', status: 'lost', ...over },
    };
    const event = {
      id: `evt_${newId()}`,
      type: 'charge.dispute.closed',
      created: 1_800_000_000,
      data: { object: body },
    };
    return deliver(JSON.stringify(event));
  };
  t.match(await send({ payment_intent: 'pi_unknown' }), { status: 204 });
  t.match(await send({ payment_intent: null }), { status: 204 });
  t.match(await listed(`orderId=${orderId}`), exactly([]));
  t.match(await send({ currency: 'usd' }), { status: 204 });
  t.match(await paymentOf(id), { disputed: eur(0) });
  t.match(await listed(`paymentId=${id}`), exactly([{ amount: { amount: 3000, currency: 'USD' }, status: 'lost' }]));
  const disputed = { status: 409, body: { code: 'payment_disputed' } };
  t.match(await refund(id), disputed, 'nobody knows how much of it is left');
  t.match(await refund(id, { amount: eur(1) }), disputed);
  t.match(await box.staff.post(`/admin/orders/${orderId}/cancel`, {}), { status: 200 });
  t.match(await paymentOf(id), { refunded: eur(0) }, 'nor is it refunded with the order');
  const other = await box.openTenant();
  t.match(await other.staff.get(`/admin/disputes?paymentId=${id}`), { body: { items: exactly([]) } });
});
