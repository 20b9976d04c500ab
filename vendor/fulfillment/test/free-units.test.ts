/**
 * Units that cost nothing, and those whose price was refunded by amount, are taken out of their order without money: they
 * are not shipped and their stock returns, but no provider is called, and payment, balance and refunds stay as they are.
 */
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import {
  bodyOf,
  createTestBox,
  eventTypesOf,
  exactly,
  extendBox,
  raceRounds,
  untilDelivered,
} from '@carton/runtime/testing';
import t from 'tap';
import { act, pack, placePaid, placeTaken, unitsOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const none = { amount: 0, currency: 'EUR' };
const busy = { status: 409, body: { code: 'payment_step_busy' } };

/** All about money. */
async function booksOf(id: string) {
  const { paymentStatus, paid, refunded, balance } = (await box.staff.get(`/admin/orders/${id}`)).body;
  const [payments, refunds] = await Promise.all(
    ['payments', 'refunds'].map(async (name) => (await box.staff.get(`/admin/${name}?orderId=${id}`)).body.items),
  );
  return { paymentStatus, paid, refunded, balance, payments, refunds };
}
const cancelUnits = (orderId: string, items: object[], more: object = {}) =>
  box.staff.post(`/admin/orders/${orderId}/canceled-units`, { items, ...more });
const remaining = async (orderId: string) => (await bodyOf(pack(box, orderId))).items;

t.test('a free unit of a paid order is refunded with an amount of zero', async (t) => {
  const { order, lineIds, refund, stock, cancel } = await placePaid(box, [3, 2], { spare: 0, prices: [100, 0] });
  const before = await booksOf(order.id);
  const gift = { items: [unitsOf(lineIds[1], 1)] };
  const answer = await refund({ ...gift, reason: 'Out of gifts' });
  t.match(answer, {
    status: 201,
    body: { status: 'succeeded', amount: none, excess: none, tax: none, restock: true, reason: 'Out of gifts' },
  });
  t.match(answer.body.items, exactly([{ lineItemId: lineIds[1], quantity: 1, amount: none }]));
  t.strictSame(await stock(), [0, 1]);
  t.strictSame(await booksOf(order.id), before, 'no money has moved');
  const { items } = (await box.staff.get(`/admin/orders/${order.id}/timeline`)).body;
  t.match(items[0], { type: 'units', message: /^Canceled without a refund: 1 × Article \d+\. Out of gifts$/ });
  t.strictSame((await eventTypesOf(box, order.id)).slice(-1), ['order.units_canceled']);
  t.match(await refund({ items: [unitsOf(lineIds[1], 2)] }), { status: 409, body: { code: 'already_refunded' } });
  t.match(await refund({ ...gift, externalId: 'erp-1' }), { status: 409 }, 'nothing would keep it');
  t.match(await refund({ ...gift, restock: false }), { status: 201, body: { restock: false } });
  t.match(await remaining(order.id), exactly([{ lineItemId: lineIds[0], quantity: 3 }]));
  await cancel();
  t.strictSame(await stock(), [3, 1], 'one gift was written off');
});

t.test('units of which all was refunded by amount are taken out of what is to ship', async (t) => {
  const { order, lineIds, refund, stock } = await placePaid(box, [3, 1]);
  t.equal((await refund({})).status, 201);
  const before = await booksOf(order.id);
  const body = { items: [unitsOf(lineIds[0], 2)] };
  t.match(await refund(body), { status: 201, body: { amount: none } });
  t.strictSame(await stock(), [2, 0]);
  t.strictSame(await booksOf(order.id), before);
  t.match(await remaining(order.id), exactly([{ quantity: 1 }, { quantity: 1 }]));
});

t.test('units that cost nothing are taken out of an order without a payment, and no others', async (t) => {
  const { order, lineIds, onHand } = await placeTaken(box, [2, 1], { spare: 0, prices: [0, 0] });
  const stock = async () => {
    await untilDelivered(box);
    return onHand();
  };
  const answer = await cancelUnits(order.id, [unitsOf(lineIds[0], 1)], { reason: 'Out of gifts' });
  const units = { orderId: order.id, restock: true, reason: 'Out of gifts' };
  t.match(answer, { status: 201, body: { ...units, items: exactly([{ lineItemId: lineIds[0], quantity: 1 }]) } });
  t.strictSame(await stock(), [1, 0]);
  t.match(await remaining(order.id), exactly([{ quantity: 1 }, { quantity: 1 }]));

  const unpaid = await placeTaken(box, [2, 1], { prices: [100, 0] });
  const [mug, gift] = [unitsOf(unpaid.lineIds[0], 1), unitsOf(unpaid.lineIds[1], 1)];
  const before = await booksOf(unpaid.order.id);
  t.match(await cancelUnits(unpaid.order.id, [mug, gift]), { status: 409, body: { code: 'units_have_price' } });
  t.equal((await cancelUnits(unpaid.order.id, [gift], { restock: false })).status, 201);
  t.match(await cancelUnits(unpaid.order.id, [gift]), { status: 409, body: { code: 'already_refunded' } });
  t.strictSame(await booksOf(unpaid.order.id), before);
  t.equal((await cancelUnits(unpaid.order.id, [{ ...gift, lineItemId: order.id }])).status, 400);
  t.equal((await cancelUnits(gift.lineItemId as string, [gift])).status, 404);
  await box.staff.post(`/admin/orders/${unpaid.order.id}/cancel`);
  t.match(await cancelUnits(unpaid.order.id, [gift]), { status: 409, body: { code: 'order_already_canceled' } });
});

t.test('a provider is not called, and a pending refund is waited for', async (t) => {
  const provider = new TestProvider();
  extendBox(t, box, [paymentAdapters.with(provider)]);
  const { order, lineIds, onHand } = await placeTaken(box, [3], { spare: 0 });
  const { id } = await bodyOf(box.visitor().post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'card' }));
  const state = { status: 'captured', captured: 300, refunded: 0 } as const;
  Object.assign(provider.payments.get(id) as object, state);
  await provider.send(box, { id: 'captured', payment: { id, state } });
  const refund = (body: object, headers = {}) => box.staff.post(`/admin/payments/${id}/refunds`, body, { headers });
  const units = { items: [unitsOf(lineIds[0], 1)] };
  provider.before = () => {
    throw new Error('away');
  };
  const key = { 'idempotency-key': 'refund-all' };
  t.equal((await refund({}, key)).status, 502);
  t.match(await refund(units), busy);
  t.match(await cancelUnits(order.id, units.items), busy);
  provider.before = () => {};
  t.equal((await refund({}, key)).status, 201);
  const calls = provider.calls.length;
  t.match(await refund(units), { status: 201, body: { amount: none, provider: 'test', method: 'card' } });
  t.equal((await cancelUnits(order.id, units.items)).status, 201);
  t.equal(provider.calls.length, calls);
  await untilDelivered(box);
  t.strictSame(await onHand(), [2]);
});

t.test('a parcel with units that were canceled is not shipped', async (t) => {
  const { order, lineIds, refund, stock } = await placePaid(box, [1, 1], { spare: 0, prices: [100, 0] });
  const { id } = await bodyOf(pack(box, order.id));
  await refund({ items: [unitsOf(lineIds[1], 1)] });
  t.match(await act(box, 'ship', id), { status: 409, body: { code: 'fulfillment_items_refunded' } });
  t.strictSame(await stock(), [0, 0]);
  await bodyOf(act(box, 'cancel', id, { restock: false }));
  t.strictSame(await stock(), [0, 1]);
  await bodyOf(act(box, 'ship', (await bodyOf(pack(box, order.id))).id));
  t.match((await box.staff.get(`/admin/orders/${order.id}`)).body, { fulfillmentStatus: 'fulfilled' });
});

t.test('of two requests for the last free unit, one passes', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, lineIds, refund, stock } = await placePaid(box, [1, 1], { spare: 0, prices: [100, 0] });
    const items = [unitsOf(lineIds[1], 1)];
    const answers = await Promise.all([refund({ items }), cancelUnits(order.id, items)]);
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
    t.strictSame(await stock(), [0, 1]);
  }
});
