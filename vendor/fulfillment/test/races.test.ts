/**
 * Races of parcels: for the same units, of a shipment with a cancellation, and of cancellations for the same stock.
 */
import { createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { act, pack, placeTaken, refundsOf, stateOf, unitsOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

t.test('concurrent parcels never have more units than the order', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, lineIds, onHand } = await placeTaken(box, [5], { spare: 1 });
    const items = [unitsOf(lineIds[0], 2)];
    const answers = await Promise.all(Array.from({ length: 4 }, () => pack(box, order.id, items)));
    t.strictSame(statusesOf(answers), [201, 201, 409, 409]);
    const numbers = answers.flatMap(({ status, body }) => (status === 201 ? body.number : []));
    t.strictSame(numbers.sort(), [1, 2]);
    t.strictSame(await onHand(), [1]);
  }
});

t.test('of a shipment and a cancellation of the order, one succeeds', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, onHand } = await placeTaken(box, [2], { spare: 0 });
    const { id } = (await pack(box, order.id)).body;
    const [shipped, canceled] = await Promise.all([
      act(box, 'ship', id),
      box.staff.post(`/admin/orders/${order.id}/cancel`),
    ]);
    t.strictSame(statusesOf([shipped, canceled]), [200, 409]);
    const isShipped = shipped.status === 200;
    t.equal(await stateOf(box, order.id), isShipped ? 'placed fulfilled' : 'canceled unfulfilled');
    t.equal((await box.staff.get(`/admin/fulfillments/${id}`)).body.status, isShipped ? 'shipped' : 'canceled');
    t.strictSame(await onHand(), [isShipped ? 0 : 2]);
  }
});

t.test('of a shipment and a cancellation of the parcel, one succeeds', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, onHand } = await placeTaken(box, [2], { spare: 0 });
    const { id } = (await pack(box, order.id)).body;
    const [shipped, canceled] = await Promise.all([act(box, 'ship', id), act(box, 'cancel', id)]);
    t.strictSame(statusesOf([shipped, canceled]), [200, 409]);
    t.strictSame(await onHand(), [shipped.status === 200 ? 0 : 2]);
  }
});

t.test('cancellations of a parcel and of its order return the stock once', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, lineIds, onHand } = await placeTaken(box, [3], { spare: 0 });
    const { id } = (await pack(box, order.id, [unitsOf(lineIds[0], 2)])).body;
    const cancelOrder = () => box.staff.post(`/admin/orders/${order.id}/cancel`);
    const answers = await Promise.all([act(box, 'cancel', id), cancelOrder(), act(box, 'cancel', id), cancelOrder()]);
    t.strictSame(statusesOf(answers), [200, 200, 200, 409]);
    t.strictSame(await onHand(), [3]);
    t.equal(await stateOf(box, order.id), 'canceled unfulfilled');
  }
});

t.test('a unit is either refunded or shipped', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, lineIds } = await placeTaken(box, [1], { spare: 0 });
    const refunds = await refundsOf(box, order);
    const { id } = (await pack(box, order.id)).body;
    const [refunded, shipped] = await Promise.all([
      box.staff.post(refunds, { items: [unitsOf(lineIds[0], 1)] }),
      act(box, 'ship', id),
    ]);
    // What has been shipped can be refunded; what was refunded cannot be shipped.
    t.equal(refunded.status, 201);
    t.ok(shipped.status === 200 || shipped.body.code === 'fulfillment_items_refunded');
    const status = shipped.status === 200 ? 'fulfilled' : 'unfulfilled';
    t.equal(await stateOf(box, order.id), `placed ${status}`);
  }
});

t.test('a parcel and a cancellation of the order leave no parcel of a canceled order', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { order, onHand } = await placeTaken(box, [2], { spare: 0 });
    const [packed, canceled] = await Promise.all([
      pack(box, order.id),
      box.staff.post(`/admin/orders/${order.id}/cancel`),
    ]);
    t.equal(canceled.status, 200);
    t.ok(packed.status === 201 || packed.body.code === 'order_already_canceled');
    const pending = await box.staff.get(`/admin/fulfillments?orderId=${order.id}&status=pending`);
    t.strictSame(pending.body.items, []);
    t.strictSame(await onHand(), [2]);
  }
});
