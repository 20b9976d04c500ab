/**
 * Concurrent steps of a payment, and cancellations against refunds, captures and recorded payments: one takes effect, and
 * what a canceled order has received is refunded once.
 */

import { newId } from '@carton/runtime';
import { raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { closeCanceled } from '../steps/cancellation.ts';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, place, placeWithPayment } from './helpers.ts';

const box = await openBox(t);
const provider = new TestProvider();
const db = contribute(t, box, provider);
const [method] = (await box.staff.get('/admin/payment-methods')).body.items;
await box.staff.patch(`/admin/payment-methods/${method.id}`, { captureMode: 'manual' });
t.setTimeout(3_600_000);

const sum = (amount: number) => ({ amount, currency: 'EUR' });
const step = (id: string, what: string, amount: number) =>
  box.staff.post(`/admin/payments/${id}/${what}`, { amount: sum(amount) });
const cancel = (id: string) => box.staff.post(`/admin/orders/${id}/cancel`);

async function authorized() {
  const placed = await placeWithPayment(box, db, 2500);
  const state = { status: 'authorized' as const, captured: 0, refunded: 0 };
  Object.assign(provider.payments.get(placed.id) ?? {}, state);
  await provider.send(box, { id: newId(), payment: { id: placed.id, state } });
  return placed;
}

/** Finishes what is left, as the box's background work does, and returns what moved in total. */
async function outcomeOf({ orderId, id }: { orderId: string; id: string }) {
  await closeCanceled(db, orderId).catch(() => {});
  await box.db.query(
    `update payment_transactions set tried_at = tried_at - interval '2 minutes', created_at = created_at - interval '1 minute'
      where tenant_id = $1 and status = 'pending'`,
  );
  await reconcile(db);
  const order = (await box.staff.get(`/admin/orders/${orderId}`)).body;
  const payment = (await box.staff.get(`/admin/payments/${id}`)).body;
  const refunds = (await box.staff.get(`/admin/refunds?orderId=${orderId}&status=succeeded`)).body.items;
  const { status, captured, refunded } = provider.stateOf(id);
  return {
    status: order.status,
    balance: order.balance.amount,
    isOpen: status === 'authorized',
    captured: [captured, payment.captured.amount],
    refunded: [
      refunded,
      payment.refunded.amount,
      refunds.reduce((all: number, each: { amount: { amount: number } }) => all + each.amount.amount, 0),
    ],
  };
}

t.test('of concurrent captures one takes money, of concurrent refunds one returns it', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await authorized();
    const before = provider.calls.length;
    const times = async (what: string, amount: number) =>
      (await Promise.all([step(id, what, amount), step(id, what, amount), step(id, what, amount)])).map(
        ({ status }) => status,
      );
    t.strictSame((await times('capture', 2500)).sort(), [200, 409, 409]);
    t.strictSame((await times('refunds', 2500)).sort(), [201, 409, 409]);
    const moved = provider.calls.slice(before).filter((call) => /^(capture|refund)/.test(call));
    t.strictSame(moved, ['capture 2500', 'refund 2500']);
  }
});

t.test('a cancellation against two refunds of a captured payment', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const placed = await authorized();
    await step(placed.id, 'capture', 2500);
    const [one, other, ...refunds] = await Promise.all([
      cancel(placed.orderId),
      cancel(placed.orderId),
      step(placed.id, 'refunds', 2500),
      step(placed.id, 'refunds', 700),
    ]);
    t.strictSame([one.status, other.status].sort(), [200, 409]);
    t.ok(refunds.every(({ status }) => status === 201 || status === 409));
    t.ok(refunds.filter(({ status }) => status === 201).length <= 1, 'never more than was paid');
    const expected = { captured: [2500, 2500], refunded: [2500, 2500, 2500], isOpen: false };
    t.strictSame(await outcomeOf(placed), { status: 'canceled', balance: 0, ...expected });
  }
});

t.test('a cancellation against a capture: all of it is returned, or nothing is taken', async (t) => {
  const outcomes = new Set<string>();
  for (let round = 0; round < raceRounds; round++) {
    const placed = await authorized();
    const [canceled, capture, other] = await Promise.all([
      cancel(placed.orderId),
      step(placed.id, 'capture', 1000),
      step(placed.id, 'capture', 2500),
    ]);
    t.equal(canceled.status, 200);
    t.ok([capture, other].every(({ status }) => status === 200 || status === 409));
    const { captured, refunded, ...rest } = await outcomeOf(placed);
    t.strictSame(rest, { status: 'canceled', balance: 0, isOpen: false });
    t.strictSame([captured[1], ...refunded], Array(4).fill(captured[0]));
    outcomes.add(String(captured[0]));
  }
  t.ok([...outcomes].every((captured) => ['0', '1000', '2500'].includes(captured)));
});

t.test('a cancellation against a recorded payment: what was received is owed back by staff', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await place(box, 2500);
    const [paid, canceled] = await Promise.all([pay(box, id, 2500), cancel(id)]);
    t.equal(canceled.status, 200);
    const { balance } = (await box.staff.get(`/admin/orders/${id}`)).body;
    t.equal(balance.amount, paid.status === 201 ? -2500 : 0);
    t.strictSame((await box.staff.get(`/admin/refunds?orderId=${id}`)).body.items, []);
  }
});
