/**
 * What was paid for a canceled order: providers refund what they have captured, through pending refunds that survive
 * crashes; staff pay back what they have recorded.
 */

import { createMember } from '@carton/member/testing';
import { newId } from '@carton/runtime';
import { createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { closeCanceled } from '../steps/cancellation.ts';
import { type Call, TestProvider } from '../testing/provider.ts';
import { contribute, packages, pay, placeWithPayment, timelineOf } from './helpers.ts';

const box = await createTestBox(t, { packages: [...packages, '@carton/member'] });
const sum = (amount: number) => ({ amount, currency: 'EUR' });
const isAway = { message: 'The payment provider failed or timed out' };
const reason = 'The order was canceled';
const read = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const cancel = (id: string) => box.staff.post(`/admin/orders/${id}/cancel`);
const refundsOf = async (id: string) =>
  (await box.staff.get(`/admin/refunds?orderId=${id}`)).body.items.map(
    ({ amount, status, reason }: { amount: { amount: number }; status: string; reason: string | null }) =>
      `${amount.amount} ${status}: ${reason}`,
  );
const step = (id: string, what: string, amount?: number) =>
  box.staff.post(`/admin/payments/${id}/${what}`, amount === undefined ? {} : { amount: sum(amount) });

/**
 * Binds a provider to requests until the test ends; the box's background work does not know it, so the test performs that
 * itself. `captured` places an order with a payment of which a part is captured.
 */
function setUp(t: { teardown(task: () => void): void }) {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const captured = async (total: number, part = total) => {
    const { items } = (await box.staff.get('/admin/payment-methods')).body;
    await box.staff.patch(`/admin/payment-methods/${items[0].id}`, { captureMode: 'manual' });
    const placed = await placeWithPayment(box, db, total);
    await report(provider, placed.id, {
      status: part < total ? 'authorized' : 'captured',
      captured: part,
      refunded: 0,
    });
    return placed;
  };
  /** Makes the provider fail at a call; returns how it recovers. */
  const breakAt = (call: Call, when: 'before' | 'after' = 'before') => {
    provider[when] = (each) => {
      if (each === call) throw new Error('away');
    };
    return () => {
      provider[when] = () => {};
    };
  };
  return { provider, db, captured, breakAt };
}

async function report(provider: TestProvider, id: string, state: ReturnType<TestProvider['stateOf']>) {
  Object.assign(provider.payments.get(id) ?? {}, state);
  await provider.send(box, { id: newId(), payment: { id, state } });
}

/** Makes the claims of steps expire, and the steps old enough for `reconcile`. */
async function age(): Promise<void> {
  await box.db.query(
    `update payment_transactions set tried_at = tried_at - interval '2 minutes', created_at = created_at - interval '1 minute'
      where tenant_id = $1 and status = 'pending'`,
  );
}

t.test('a captured payment is refunded once, after the cancellation', async (t) => {
  const { provider, db, captured } = setUp(t);
  const { orderId, id } = await captured(2500);
  const answers = await Promise.all([cancel(orderId), cancel(orderId), cancel(orderId)]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  t.match(await read(orderId), { status: 'canceled', balance: sum(-2500), paymentStatus: 'paid' });
  t.strictSame(await refundsOf(orderId), [`2500 pending: ${reason}`]);
  await Promise.all([closeCanceled(db, orderId), closeCanceled(db, orderId), closeCanceled(db, orderId)]);
  t.match(await read(orderId), { status: 'canceled', balance: sum(0), paymentStatus: 'refunded' });
  t.strictSame(await refundsOf(orderId), [`2500 succeeded: ${reason}`]);
  t.strictSame(
    provider.calls.filter((call) => call.startsWith('refund')),
    ['refund 2500'],
  );
  t.strictSame(provider.stateOf(id), { status: 'captured', captured: 2500, refunded: 2500 });
  t.strictSame((await timelineOf(box, orderId)).slice(0, 3), [
    'Refunded 25.00 EUR by card',
    '25.00 EUR will be refunded: the order was canceled',
    'Canceled',
  ]);
  const events = await eventsOf(box, { type: /^(?!order\.updated$)/ });
  t.strictSame(
    events.filter(({ resource }) => [orderId, id].includes(resource.id)).map(({ type }) => type),
    ['order.placed', 'payment.captured', 'order.canceled', 'refund.created'],
    'one mail about the cancellation, one about the refund',
  );
});

t.test('a partially refunded payment is refunded the rest, and a partially captured one voided too', async (t) => {
  const { provider, db, captured } = setUp(t);
  const one = await captured(2500);
  await step(one.id, 'refunds', 400);
  const other = await captured(2500, 1000);
  for (const { orderId } of [one, other]) await cancel(orderId);
  for (const { orderId } of [one, other]) await closeCanceled(db, orderId);
  t.strictSame(await refundsOf(one.orderId), [`2100 succeeded: ${reason}`, '400 succeeded: null']);
  t.strictSame(await refundsOf(other.orderId), [`1000 succeeded: ${reason}`]);
  t.ok(provider.calls.includes('void 1500'));
  t.strictSame(provider.stateOf(other.id), { status: 'captured', captured: 1000, refunded: 1000 });
});

t.test("a member's cancellation refunds as one by staff does", async (t) => {
  const { db, captured } = setUp(t);
  const member = await createMember(box);
  const { orderId } = await captured(2500);
  await box.owner.query('update orders set member_id = $1 where id = $2', [member.id, orderId]);
  t.match(await member.post(`/member/orders/${orderId}/cancel`), { status: 200, body: { status: 'canceled' } });
  await closeCanceled(db, orderId);
  t.match(await read(orderId), { balance: sum(0), paymentStatus: 'refunded' });
  t.strictSame(await refundsOf(orderId), [`2500 succeeded: ${reason}`]);
});

t.test('while the provider is away the refund is pending, and retried', async (t) => {
  for (const when of ['before', 'after'] as const) {
    const { provider, db, captured, breakAt } = setUp(t);
    const { orderId, id } = await captured(2500);
    const recover = breakAt('refund', when);
    await cancel(orderId);
    await t.rejects(closeCanceled(db, orderId), isAway);
    t.strictSame(await refundsOf(orderId), [`2500 pending: ${reason}`]);
    t.match(await read(orderId), { paymentStatus: 'paid', balance: sum(-2500) });
    t.match(await step(id, 'refunds'), { status: 502, body: { code: 'payment_provider_failed' } });
    recover();
    await age();
    await reconcile(db);
    t.strictSame(await refundsOf(orderId), [`2500 succeeded: ${reason}`]);
    t.equal(provider.stateOf(id).refunded, 2500);
    t.match(await step(id, 'refunds'), { status: 409, body: { code: 'payment_step_not_possible' } });
  }
});

t.test('one payment that fails does not hold up the others', async (t) => {
  const { provider, db, captured } = setUp(t);
  const { orderId, id } = await captured(2500, 1000);
  const { id: second } = await placeWithPayment(box, db, 700);
  await box.owner.query('update payments set order_id = $1 where id = $2', [orderId, second]);
  await report(provider, second, { status: 'captured', captured: 700, refunded: 0 });
  provider.before = (call) => {
    if (call === 'refund' && provider.calls.at(-1) === 'refund 1000') throw new Error('away');
  };
  await cancel(orderId);
  await t.rejects(closeCanceled(db, orderId), isAway);
  t.strictSame((await refundsOf(orderId)).sort(), [`1000 pending: ${reason}`, `700 succeeded: ${reason}`]);
  t.equal(provider.stateOf(id).refunded, 0);
  provider.before = () => {};
});

t.test('a refund that the provider refuses is in the timeline once, and staff can try again', async (t) => {
  const { provider, db, captured } = setUp(t);
  // The test provider refuses this amount.
  const { orderId, id } = await captured(2500, 13);
  await cancel(orderId);
  await closeCanceled(db, orderId);
  const note = '0.13 EUR must be paid back: the refund by card was refused';
  t.strictSame((await timelineOf(box, orderId)).slice(0, 2), ['Voided 24.87 EUR by card', note]);
  await age();
  await reconcile(db);
  await provider.send(box, { id: newId(), payment: { id, state: provider.stateOf(id) } });
  t.strictSame(await refundsOf(orderId), [`13 failed: ${reason}`]);
  t.equal((await timelineOf(box, orderId)).filter((message) => message === note).length, 1);
  t.match(await read(orderId), { paymentStatus: 'paid', balance: sum(-13) });
  await step(id, 'refunds', 10);
  t.match(await read(orderId), { balance: sum(0), paymentStatus: 'refunded' });
  t.strictSame(await refundsOf(orderId), [`3 succeeded: ${reason}`, '10 succeeded: null', `13 failed: ${reason}`]);
});

t.test('a refund or capture in progress is followed by the refund of the rest', async (t) => {
  for (const [what, amount, part, expected] of [
    ['refunds', 400, 2500, [`2100 succeeded: ${reason}`, '400 succeeded: null']],
    ['refunds', 13, 2500, [`2500 succeeded: ${reason}`, '13 failed: null']],
    ['capture', 900, 600, [`1500 succeeded: ${reason}`]],
    ['capture', 13, 600, [`600 succeeded: ${reason}`]],
  ] as const) {
    const { provider, captured } = setUp(t);
    const { orderId, id } = await captured(2500, part);
    let begin = () => {};
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.before = (call) => {
      if (`${call}s` !== what && call !== what) return;
      begin();
      return held;
    };
    const answer = step(id, what, amount);
    await reached;
    t.match(await cancel(orderId), { status: 200 });
    provider.before = () => {};
    // An old report must not end the step.
    await provider.send(box, { id: newId(), payment: { id, state: provider.stateOf(id) } });
    release();
    t.equal((await answer).status, amount === 13 ? 409 : what === 'capture' ? 200 : 201);
    t.match(await read(orderId), { balance: sum(0), paymentStatus: 'refunded' });
    t.strictSame(await refundsOf(orderId), expected, `${what} ${amount}`);
    const { captured: all, refunded } = provider.stateOf(id);
    t.equal(refunded, all);
  }
});

t.test('the rest is refunded, too, if the provider reports the end of a refund before it responds', async (t) => {
  const { provider, db, captured } = setUp(t);
  const { orderId, id } = await captured(2500);
  let canceled = 0;
  provider.after = async (call) => {
    if (call !== 'refund' || canceled > 0) return;
    canceled = (await cancel(orderId)).status;
    await report(provider, id, provider.stateOf(id));
  };
  t.match(await step(id, 'refunds', 400), { status: 201, body: { status: 'succeeded' } });
  t.equal(canceled, 200);
  await closeCanceled(db, orderId);
  t.strictSame(await refundsOf(orderId), [`2100 succeeded: ${reason}`, '400 succeeded: null']);
  t.equal(provider.stateOf(id).refunded, 2500);
});

t.test('a late capture of a canceled order is refunded with what is pending', async (t) => {
  const { provider, db, captured, breakAt } = setUp(t);
  const { orderId, id } = await captured(2500, 1000);
  const recover = breakAt('refund');
  await cancel(orderId);
  await t.rejects(closeCanceled(db, orderId), isAway);
  await report(provider, id, { status: 'captured', captured: 2500, refunded: 0 });
  t.notOk((await timelineOf(box, orderId)).some((message) => message.includes('must be paid back')));
  recover();
  await age();
  await reconcile(db);
  t.strictSame(await refundsOf(orderId), [`1500 succeeded: ${reason}`, `1000 succeeded: ${reason}`]);
  t.equal(provider.stateOf(id).refunded, 2500);
});

t.test('a refund made at the provider meanwhile is not made again', async (t) => {
  const { provider, db, captured, breakAt } = setUp(t);
  const { orderId, id } = await captured(2500);
  const recover = breakAt('refund');
  await cancel(orderId);
  await t.rejects(closeCanceled(db, orderId), isAway);
  // As Stripe does: more than is left is not refunded, and the state reported instead.
  const refund = provider.refund.bind(provider);
  provider.refund = async (db, request) => {
    const { captured, refunded } = provider.stateOf(id);
    if (request.amount.amount > captured - refunded) return provider.stateOf(id) as never;
    return refund(db, request);
  };
  recover();
  await report(provider, id, { status: 'captured', captured: 2500, refunded: 400 });
  await age();
  await reconcile(db);
  t.match(await read(orderId), { balance: sum(0), paymentStatus: 'refunded' });
  t.strictSame(await refundsOf(orderId), [
    `2100 succeeded: ${reason}`,
    '400 succeeded: null',
    `2500 failed: ${reason}`,
  ]);
  t.equal(provider.stateOf(id).refunded, 2500);
});

t.test('what staff have received is theirs to pay back', async (t) => {
  const { db, captured } = setUp(t);
  const { orderId, id } = await captured(2500, 1000);
  await step(id, 'void');
  const { id: recorded } = (await pay(box, orderId, 600)).body;
  await cancel(orderId);
  await closeCanceled(db, orderId);
  t.strictSame((await timelineOf(box, orderId)).slice(0, 3), [
    'Refunded 10.00 EUR by card',
    '6.00 EUR was received and must be paid back',
    '10.00 EUR will be refunded: the order was canceled',
  ]);
  t.match(await read(orderId), { paymentStatus: 'partially_refunded', balance: sum(-600) });
  t.match((await box.staff.get(`/admin/payments/${recorded}`)).body, {
    refunded: sum(0),
    transactions: exactly([{ type: 'capture' }]),
  });
  t.match(await step(recorded, 'refunds'), { status: 201 });
  t.match(await read(orderId), { paymentStatus: 'refunded', balance: sum(0) });
});

t.test('what a provider without an adapter in this box has captured is left to staff', async (t) => {
  const { captured } = setUp(t);
  const { orderId, id } = await captured(2500);
  await box.owner.query("update payments set provider = 'former' where id = $1", [id]);
  await cancel(orderId);
  t.strictSame(await refundsOf(orderId), []);
  t.equal((await timelineOf(box, orderId))[0], '25.00 EUR was received and must be paid back');
});
