/**
 * Every transition of every state: what the table allows happens, everything else is 409 and changes nothing.
 */

import {
  changeFulfillmentStatus,
  changePaymentState,
  lockOrder,
  type OrderState,
  type OrderStates,
  orderStates,
  placePending,
  transitions,
} from '@carton/order';
import { Problem } from '@carton/runtime';
import { eventTypesOf } from '@carton/runtime/testing';
import t from 'tap';
import { requireTransition } from '../states/transitions.ts';
import { openBox, place } from '../testing/index.ts';

const box = await openBox(t);
const names = Object.keys(orderStates) as (keyof OrderStates)[];

/** Every order there may be, by its states. */
const orders: OrderStates[] = orderStates.status.flatMap((status) =>
  orderStates.paymentStatus.flatMap((paymentStatus) =>
    orderStates.fulfillmentStatus.map((fulfillmentStatus) => ({ status, paymentStatus, fulfillmentStatus })),
  ),
);

interface Attempt {
  order: OrderStates;
  state: keyof OrderStates;
  to: string;
}

const attempts: Attempt[] = orders.flatMap((order) =>
  names.flatMap((state) =>
    orderStates[state].filter((to) => to !== order[state]).map((to) => ({ order, state, to: to as string })),
  ),
);

/** By the table alone. */
function isAllowed({ order, state, to }: Attempt): boolean {
  return transitions.some(
    ({ requires = {}, ...each }) =>
      each.state === state &&
      each.from === order[state] &&
      each.to === to &&
      names.every((name) => requires[name] === undefined || requires[name] === order[name]),
  );
}

const { id, number } = await place(box);

async function setStates({ status, paymentStatus, fulfillmentStatus }: OrderStates): Promise<void> {
  await box.db.query(
    `update orders set status = case when $3 = 'pending' then 'placed' else $3 end,
                       pending_until = case when $3 = 'pending' then now() + interval '1 hour' end,
                       payment_status = $4, fulfillment_status = $5,
                       canceled_at = case when $3 = 'canceled' then now() end
      where tenant_id = $1 and id = $2`,
    [id, status, paymentStatus, fulfillmentStatus],
  );
}

async function readStates(): Promise<OrderStates> {
  const { status, paymentStatus, fulfillmentStatus } = (await box.staff.get(`/admin/orders/${id}`)).body;
  return { status, paymentStatus, fulfillmentStatus };
}

/** The response's status, or that of the problem that a function throws. */
async function attempt({ state, to }: Attempt): Promise<number> {
  if (state === 'status' && to === 'canceled') return (await box.staff.post(`/admin/orders/${id}/cancel`)).status;
  const work = box.db.transaction(async (tx) => {
    const order = (await lockOrder(tx, id)) as OrderState;
    if (state === 'fulfillmentStatus') {
      await changeFulfillmentStatus(tx, id, to as OrderState['fulfillmentStatus']);
    } else if (state === 'paymentStatus') {
      const paymentStatus = to as OrderState['paymentStatus'];
      const nothing = { paidAmount: 0, refundedAmount: 0, disputedAmount: 0, excessRefundedAmount: 0 };
      await changePaymentState(tx, order, { paymentStatus, ...nothing }, 'Changed');
    } else if (to === 'placed') await placePending(tx, order);
    else requireTransition(order, state, to as OrderState['status']);
    return 200;
  });
  return work.catch((error) => {
    if (error instanceof Problem) return error.type.status;
    throw error;
  });
}

t.test('the transitions of the table are those intended', async (t) => {
  const of = (state: keyof OrderStates, from: string) =>
    transitions.filter((each) => each.state === state && each.from === from).map(({ to }) => to as string);
  t.strictSame(of('status', 'pending'), ['placed', 'canceled']);
  t.strictSame(of('status', 'placed'), ['canceled']);
  t.strictSame(of('status', 'canceled'), []);
  const payment: Record<string, string[]> = {
    unpaid: ['authorized', 'partially_paid', 'paid', 'voided'],
    authorized: ['unpaid', 'partially_paid', 'paid', 'voided'],
    partially_paid: ['unpaid', 'authorized', 'paid', 'voided', 'partially_refunded', 'refunded'],
    paid: ['unpaid', 'authorized', 'partially_paid', 'voided', 'partially_refunded', 'refunded'],
    partially_refunded: ['refunded'],
    refunded: ['partially_refunded'],
    voided: ['unpaid', 'authorized', 'partially_paid', 'paid'],
  };
  for (const [from, to] of Object.entries(payment)) t.strictSame(of('paymentStatus', from), to, from);
  t.strictSame(of('fulfillmentStatus', 'unfulfilled'), ['partially_fulfilled', 'fulfilled']);
  t.strictSame(of('fulfillmentStatus', 'partially_fulfilled'), ['unfulfilled', 'fulfilled']);
  t.strictSame(of('fulfillmentStatus', 'fulfilled'), ['unfulfilled', 'partially_fulfilled']);
  t.strictSame(
    transitions.flatMap(({ state, requires }) => (requires ? [[state, requires]] : [])),
    [
      ...Array(2).fill(['status', { fulfillmentStatus: 'unfulfilled' }]),
      ...Array(6).fill(['fulfillmentStatus', { status: 'placed' }]),
    ],
  );
});

t.test('illegal transitions are 409 and change nothing', async (t) => {
  const illegal = attempts.filter((each) => !isAllowed(each));
  // 42 of canceled orders back to pending or placed, 21 of placed ones to pending, 14 of pending and of placed orders each
  // whose fulfillment has started, 16 pairs of payment statuses for each of 9 other states, 6 of fulfillment for each
  // payment status of pending and of canceled orders.
  t.equal(illegal.length, 42 + 21 + 2 * 14 + 16 * 9 + 6 * 14);
  for (const each of illegal) {
    await setStates(each.order);
    const title = `${Object.values(each.order).join(', ')}: ${each.state} to ${each.to}`;
    t.equal(await attempt(each), 409, title);
    t.strictSame(await readStates(), each.order, title);
  }
  t.strictSame(await eventTypesOf(box, id), ['order.placed']);
});

t.test('an order is canceled once', async (t) => {
  for (const order of orders.filter(({ status }) => status === 'canceled')) {
    await setStates(order);
    t.match(await box.staff.post(`/admin/orders/${id}/cancel`), {
      status: 409,
      body: { code: 'order_already_canceled' },
    });
  }
});

t.test('legal transitions change one state', async (t) => {
  const legal = attempts.filter(isAllowed);
  for (const each of legal) {
    await setStates(each.order);
    const title = `${number}: ${Object.values(each.order).join(', ')}: ${each.state} to ${each.to}`;
    t.equal(await attempt(each), 200, title);
    t.strictSame(await readStates(), { ...each.order, [each.state]: each.to }, title);
  }
  const events = (await eventTypesOf(box, id)).slice(1);
  t.equal(events.length, legal.length);
  t.equal(events.filter((type) => type === 'order.canceled').length, 14);
  t.equal(events.filter((type) => type === 'order.placed').length, 21);
});

t.test('a status that stays the same is neither refused nor published', async (t) => {
  const order = await place(box);
  await box.db.transaction((tx) => changeFulfillmentStatus(tx, order.id, 'unfulfilled'));
  t.strictSame(await eventTypesOf(box, order.id), ['order.placed']);
});

t.test('an order is archived and unarchived in every state', async (t) => {
  for (const states of orders) {
    await setStates(states);
    t.ok((await box.staff.post(`/admin/orders/${id}/archive`)).body.archivedAt);
    t.equal((await box.staff.post(`/admin/orders/${id}/unarchive`)).body.archivedAt, null);
  }
});
