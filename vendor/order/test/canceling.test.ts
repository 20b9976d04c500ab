import { hire } from '@carton/auth/testing';
import { returnStock } from '@carton/inventory';
import {
  addRestocked,
  changeFulfillmentStatus,
  lockOrderLines,
  type Order,
  type OrderCanceler,
  orderCancelers,
} from '@carton/order';
import { newId } from '@carton/runtime';
import { eventTypesOf, exactly, extendBox, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, place, placeStocked, timelineOf } from '../testing/index.ts';

const box = await openBox(t);

t.test('canceling restocks once', async (t) => {
  const { order, onHand } = await placeStocked(box, 5, 3);
  const path = `/admin/orders/${order.id}/cancel`;
  const answer = await box.staff.post(path, { reason: 'Ordered twice' });
  t.match(answer, { status: 200, body: { id: order.id, status: 'canceled', canceledAt: /T/ } });
  t.equal(await onHand(), 8);
  t.match(await box.staff.post(path), { status: 409, body: { code: 'order_already_canceled' } });
  t.equal(await onHand(), 8);
  t.strictSame(await timelineOf(box, order.id), ['Canceled: Ordered twice', 'Order placed']);
  t.strictSame(await eventTypesOf(box, order.id), ['order.placed', 'order.canceled']);
});

t.test('canceling restocks only what the order still holds', async (t) => {
  const { order, onHand } = await placeStocked(box, 5, 3);
  await box.db.transaction(async (tx) => {
    const [line] = await lockOrderLines(tx, order.id);
    const { id: lineItemId, variantId } = line as { id: string; variantId: string };
    await returnStock(tx, [{ variantId, quantity: 2 }], { type: 'order', id: order.id });
    await addRestocked(tx, order.id, [{ lineItemId, quantity: 2 }]);
  });
  const lineItemId = (order.items[0] as Order['items'][number]).id;
  for (const quantity of [2, -3]) {
    const isOutside = { message: /order_line_items_restocked/ };
    await t.rejects(
      box.db.transaction((tx) => addRestocked(tx, order.id, [{ lineItemId, quantity }])),
      isOutside,
    );
  }
  t.equal(await onHand(), 7);
  t.match(await box.staff.post(`/admin/orders/${order.id}/cancel`), { status: 200 });
  t.equal(await onHand(), 8);
  const lines = await box.db.transaction((tx) => lockOrderLines(tx, order.id));
  t.match(lines, exactly([{ quantity: 3, restockedQuantity: 3 }]));
});

t.test('the fulfillment status of an order that is not canceled changes with its parcels', async (t) => {
  const { id } = await place(box);
  const change = (status: 'unfulfilled' | 'fulfilled') =>
    box.db.transaction((tx) => changeFulfillmentStatus(tx, id, status));
  await change('fulfilled');
  await change('fulfilled');
  t.match(await box.staff.get(`/admin/orders/${id}`), { body: { fulfillmentStatus: 'fulfilled' } });
  await change('unfulfilled');
  t.strictSame(await eventTypesOf(box, id), ['order.placed', 'order.updated', 'order.updated']);
  await box.staff.post(`/admin/orders/${id}/cancel`);
  await t.rejects(change('fulfilled'), { message: 'The order is already canceled' });
  await t.rejects(
    box.db.transaction((tx) => changeFulfillmentStatus(tx, newId(), 'fulfilled')),
    { message: /There is no order/ },
  );
});

t.test('of concurrent cancellations one succeeds', async (t) => {
  const { order, onHand } = await placeStocked(box, 5, 3);
  const path = `/admin/orders/${order.id}/cancel`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => box.staff.post(path)));
  const statuses = answers.map(({ status }) => status).sort();
  t.strictSame(statuses, [200, ...Array(7).fill(409)]);
  t.equal(await onHand(), 8);
  t.strictSame(await eventTypesOf(box, order.id), ['order.placed', 'order.canceled']);
});

t.test('a repeated idempotency key cancels once and returns the same response', async (t) => {
  const { order, onHand } = await placeStocked(box, 1, 1);
  const headers = { 'idempotency-key': newId() };
  const path = `/admin/orders/${order.id}/cancel`;
  const [one, two] = await Promise.all([
    box.staff.post(path, undefined, { headers }),
    box.staff.post(path, undefined, { headers }),
  ]);
  t.strictSame([one.status, two.status], [200, 200]);
  t.strictSame(one.body, two.body);
  t.equal(await onHand(), 2);
  const colleague = await hire(box, 'manager');
  t.match(
    await colleague.post(path, undefined, { headers }),
    { status: 409, body: { code: 'order_already_canceled' } },
    'the key is that of one person',
  );
});

t.test('a fulfilled order is not canceled, even if it is fulfilled concurrently', async (t) => {
  for (const status of ['partially_fulfilled', 'fulfilled']) {
    const { order, onHand } = await placeStocked(box, 5, 3);
    const text = 'update orders set fulfillment_status = $3 where tenant_id = $1 and id = $2';
    await box.db.query(text, [order.id, status]);
    const answer = await box.staff.post(`/admin/orders/${order.id}/cancel`);
    t.match(answer, { status: 409, body: { code: 'order_fulfillment_started' } }, status);
    t.equal(await onHand(), 5);
  }
  const { order, onHand } = await placeStocked(box, 5, 3);
  let canceling: Promise<unknown> | undefined;
  await box.db.transaction(async (tx) => {
    await tx.query("update orders set fulfillment_status = 'fulfilled' where tenant_id = $1 and id = $2", [order.id]);
    canceling = box.staff.post(`/admin/orders/${order.id}/cancel`);
    // The request reads the unfulfilled order, then waits for the lock on its row.
    await untilWaiting(box);
  });
  t.match(await canceling, { status: 409, body: { code: 'order_fulfillment_started' } });
  t.equal(await onHand(), 5, 'the restocking was rolled back');
});

t.test('an order canceler runs in the transaction and can fail it', async (t) => {
  const seen: unknown[] = [];
  const contribute = (work: () => void) => {
    const canceler: OrderCanceler = async (tx, { id, status }) => {
      seen.push([tx.inTransaction, id, status]);
      work();
    };
    extendBox(t, box, [orderCancelers.with(canceler)]);
  };
  const { id } = await place(box);
  contribute(() => {
    throw new Error('not now');
  });
  t.match(await box.staff.post(`/admin/orders/${id}/cancel`), { status: 500 });
  t.match(await box.staff.get(`/admin/orders/${id}`), { body: { status: 'placed' } });
  contribute(() => {});
  t.match(await box.staff.post(`/admin/orders/${id}/cancel`), { status: 200 });
  t.strictSame(seen, [
    [true, id, 'canceled'],
    [true, id, 'canceled'],
  ]);
});

t.test('a reason has 1 to 500 characters', async (t) => {
  const { id } = await place(box);
  for (const body of [{ reason: '' }, { reason: 'a'.repeat(501) }, { why: 'x' }, []]) {
    t.match(await box.staff.post(`/admin/orders/${id}/cancel`, body), { status: 400 });
  }
  t.match(await box.staff.post(`/admin/orders/${id}/cancel`, {}), { status: 200 });
  t.strictSame(await timelineOf(box, id), ['Canceled', 'Order placed']);
});
