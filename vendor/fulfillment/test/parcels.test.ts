/**
 * Parcels of orders: what may be packed, the actions in each state, and the fulfillment status of the order.
 */
import { timelineOf } from '@carton/order/testing';
import { newId } from '@carton/runtime';
import { createTestBox, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { actions } from '../parcels/states.ts';
import { act, pack, placeTaken, refundsOf, stateOf, unitsOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const conflict = (detail: string | RegExp, code = 'fulfillment_exceeds_order') => ({
  status: 409,
  body: { code, detail },
});

t.test('an order is shipped in parts, and its status follows', async (t) => {
  const { order, lineIds } = await placeTaken(box, [3, 1]);
  const [shirts, socks] = lineIds;
  const first = await pack(box, order.id, [unitsOf(shirts, 2)]);
  t.match(first, {
    status: 201,
    body: {
      orderId: order.id,
      orderNumber: order.number,
      number: 1,
      status: 'pending',
      items: exactly([{ lineItemId: shirts, quantity: 2, title: order.items[0]?.title, sku: 'SKU-0' }]),
      tracking: exactly([]),
      shippingMethod: null,
      shippedAt: null,
    },
  });
  t.equal(first.headers.get('location'), `/admin/fulfillments/${first.body.id}`);
  t.equal(await stateOf(box, order.id), 'placed unfulfilled', 'a pending parcel is not shipped');
  t.match(
    await pack(box, order.id, [unitsOf(shirts, 2)]),
    conflict(`${order.items[0]?.title}: 1 of 3 units are left to ship.`),
  );
  const second = await pack(box, order.id);
  t.match(second.body, {
    number: 2,
    items: exactly([
      { lineItemId: shirts, quantity: 1 },
      { lineItemId: socks, quantity: 1 },
    ]),
  });
  t.match(await pack(box, order.id), conflict('Nothing is left to ship.'));
  t.match(await act(box, 'ship', first.body.id), { status: 200, body: { status: 'shipped', shippedAt: /T/ } });
  t.equal(await stateOf(box, order.id), 'placed partially_fulfilled');
  t.match(await act(box, 'ship', second.body.id), { status: 200 });
  t.equal(await stateOf(box, order.id), 'placed fulfilled');
  t.match(await act(box, 'deliver', first.body.id), { status: 200, body: { status: 'delivered', deliveredAt: /T/ } });
  t.equal(await stateOf(box, order.id), 'placed fulfilled');
  t.strictSame(await eventTypesOf(box, first.body.id), [
    'fulfillment.created',
    'fulfillment.shipped',
    'fulfillment.delivered',
  ]);
  const events = await eventTypesOf(box, order.id);
  t.strictSame(
    events.filter((type) => type.startsWith('order.')),
    ['order.placed', 'order.updated', 'order.updated'],
  );
  t.strictSame((await timelineOf(box, order.id)).slice(-3), [
    `Parcel 2 created: 1 × ${order.items[0]?.title}, 1 × ${order.items[1]?.title}`,
    `Parcel 1 created: 2 × ${order.items[0]?.title}`,
    'Order placed',
  ]);
});

t.test('only units of the order that need a parcel are packed', async (t) => {
  const download = {
    ...{ variantId: null, productId: null, sku: null, title: 'Download', variantTitle: null },
    ...{ quantity: 1, unitAmount: 500, totalAmount: 500, requiresShipping: false },
  };
  const { order, lineIds } = await placeTaken(box, [2], { lines: [download] });
  const [shirt, file] = lineIds;
  const invalid = (pointer: string, message: string) => ({
    status: 400,
    body: { errors: exactly([{ pointer, detail: message }]) },
  });
  t.match(
    await pack(box, order.id, [unitsOf(newId(), 1)]),
    invalid('/items/0/lineItemId', 'is not an item of the order'),
  );
  t.match(await pack(box, order.id, [unitsOf(file, 1)]), invalid('/items/0/lineItemId', 'needs no parcel'));
  t.match(
    await pack(box, order.id, [unitsOf(shirt, 1), unitsOf(shirt, 1)]),
    invalid('/items/1/lineItemId', 'is a duplicate'),
  );
  t.match(await pack(box, order.id, []), { status: 400 });
  t.match(await pack(box, order.id, [unitsOf(shirt, 0)]), { status: 400 });
  t.match(await pack(box, newId()), { status: 404 });
  t.match(await pack(box, order.id, undefined, { shippingProfile: 'bulky' }), { status: 400 });
  const { body } = await pack(box, order.id);
  t.match(body.items, exactly([{ lineItemId: shirt, quantity: 2 }]));
  await act(box, 'ship', body.id);
  t.equal(await stateOf(box, order.id), 'placed fulfilled', 'the download needs no parcel');
});

t.test('refunded units are not shipped, and the rest completes the order', async (t) => {
  const { order, lineIds } = await placeTaken(box, [3]);
  const refunds = await refundsOf(box, order);
  const [line] = lineIds;
  const first = await pack(box, order.id, [unitsOf(line, 2)]);
  await act(box, 'ship', first.body.id);
  const second = await pack(box, order.id);
  t.equal((await box.staff.post(refunds, { items: [unitsOf(line, 1)] })).status, 201);
  t.equal(await stateOf(box, order.id), 'placed fulfilled', 'nothing is left to ship');
  t.match(await act(box, 'ship', second.body.id), conflict(/0 of 1 units/, 'fulfillment_items_refunded'));
  t.match(await act(box, 'cancel', second.body.id), { status: 200 });
  t.match(await pack(box, order.id), conflict('Nothing is left to ship.'));
  t.match(await pack(box, order.id, [unitsOf(line, 1)]), conflict(/0 of 3 units/));
});

t.test('each action in each state does what the table says', async (t) => {
  const { order, lineIds } = await placeTaken(box, [4]);
  const reach = { pending: [], shipped: ['ship'], delivered: ['ship', 'deliver'], canceled: ['cancel'] } as const;
  for (const [state, steps] of Object.entries(reach)) {
    for (const [action, outcomes] of Object.entries(actions)) {
      const { id } = (await pack(box, order.id, [unitsOf(lineIds[0], 1)])).body;
      for (const step of steps) await act(box, step, id);
      const outcome = outcomes[state as keyof typeof outcomes];
      const path = `/admin/fulfillments/${id}`;
      const before = (await box.staff.get(path)).body;
      const events = await eventTypesOf(box, id);
      const answer =
        action === 'track'
          ? await box.staff.patch(path, { tracking: [{ carrier: 'DHL', number: '1' }] })
          : await act(box, action as 'ship', id);
      const name = `${action} while ${state}`;
      if (typeof outcome === 'object') {
        t.match(answer, conflict(outcome.refused, 'fulfillment_state_conflict'), name);
        t.strictSame((await box.staff.get(path)).body, before, name);
      } else if (outcome === 'unchanged') {
        t.strictSame([answer.status, answer.body], [200, before], name);
        t.strictSame(await eventTypesOf(box, id), events, name);
      } else {
        t.match(answer, { status: 200, body: { status: outcome } }, name);
      }
      // Frees the unit for the next parcel.
      const values = [id];
      await box.db.query('delete from fulfillment_items where tenant_id = $1 and fulfillment_id = $2', values);
      await box.db.query('update order_line_items set restocked_quantity = 0 where tenant_id = $1 and order_id = $2', [
        order.id,
      ]);
    }
  }
});

t.test('a canceled parcel returns its stock once, and its units are packed again', async (t) => {
  const { order, lineIds, onHand } = await placeTaken(box, [3], { spare: 0 });
  t.strictSame(await onHand(), [0]);
  const { id } = (await pack(box, order.id, [unitsOf(lineIds[0], 2)])).body;
  t.strictSame(await onHand(), [0], 'the order has taken the stock');
  t.match(await act(box, 'cancel', id), {
    status: 200,
    body: { status: 'canceled', restocked: true, canceledAt: /T/ },
  });
  t.strictSame(await onHand(), [2]);
  t.match(await act(box, 'cancel', id), { status: 200, body: { status: 'canceled' } });
  t.strictSame(await onHand(), [2], 'only once');
  const again = await pack(box, order.id);
  t.match(again.body.items, exactly([{ quantity: 3 }]));
  t.strictSame(await onHand(), [0], 'stock is taken for the two units');
  await act(box, 'cancel', again.body.id);
  t.strictSame(await onHand(), [3]);
  t.equal((await box.staff.post(`/admin/orders/${order.id}/cancel`)).status, 200);
  t.strictSame(await onHand(), [3], 'the order returns nothing twice');
  t.match(await pack(box, order.id), conflict(/.*/, 'order_already_canceled'));
});

t.test('units without stock of their own need stock again; units that the order keeps do not', async (t) => {
  const { order, lineIds, onHand, adjust } = await placeTaken(box, [3], { spare: 0 });
  const items = [unitsOf(lineIds[0], 2)];
  const kept = (await pack(box, order.id, items)).body;
  t.match(await act(box, 'cancel', kept.id, { restock: false }), { status: 200, body: { restocked: false } });
  t.strictSame(await onHand(), [0]);
  const second = await pack(box, order.id, items);
  t.equal(second.status, 201, 'nothing is on hand');
  await act(box, 'cancel', second.body.id);
  t.strictSame(await onHand(), [2]);
  t.equal((await adjust(0, -2)).status, 201);
  const third = await pack(box, order.id, items);
  t.match(third, conflict(/2 requested|1 requested/, 'insufficient_stock'));
  t.match((await pack(box, order.id, [unitsOf(lineIds[0], 1)])).status, 201, 'the order still holds one');
  t.equal((await box.staff.post(`/admin/orders/${order.id}/cancel`)).status, 200);
  t.strictSame(await onHand(), [1], 'the one that the order held');
});

t.test('a parcel gives its stock back while the stock is negative', async (t) => {
  const { order, variantIds, onHand } = await placeTaken(box, [2], { spare: 0 });
  const { id } = (await pack(box, order.id)).body;
  await box.db.query(
    'update stock_levels set on_hand = -5, back_ordered = true where tenant_id = $1 and stock_item_id = $2',
    [variantIds[0]],
  );
  t.equal((await act(box, 'cancel', id)).status, 200);
  t.strictSame(await onHand(), [-3]);
});

t.test('staff cancel an order with its pending parcels; a shipped one prevents it', async (t) => {
  const { order, lineIds, onHand } = await placeTaken(box, [2], { spare: 0 });
  const { id } = (await pack(box, order.id, [unitsOf(lineIds[0], 1)])).body;
  t.equal((await box.staff.post(`/admin/orders/${order.id}/cancel`)).status, 200);
  t.strictSame(await onHand(), [2]);
  t.match((await box.staff.get(`/admin/fulfillments/${id}`)).body, { status: 'canceled', restocked: true });
  t.match(await act(box, 'ship', id), conflict(/canceled/, 'fulfillment_state_conflict'));
  t.match(await act(box, 'cancel', id), { status: 200 });
  t.strictSame(await onHand(), [2]);
  t.strictSame(await eventTypesOf(box, id), ['fulfillment.created', 'fulfillment.canceled']);
  const other = await placeTaken(box, [2]);
  await act(box, 'ship', (await pack(box, other.order.id, [unitsOf(other.lineIds[0], 1)])).body.id);
  t.match(
    await box.staff.post(`/admin/orders/${other.order.id}/cancel`),
    conflict(/return/, 'order_fulfillment_started'),
  );
});

t.test('a repeated idempotency key creates one parcel', async (t) => {
  const { order, lineIds } = await placeTaken(box, [2]);
  const headers = { 'idempotency-key': newId() };
  const body = { items: [unitsOf(lineIds[0], 1)] };
  const send = () => box.staff.post(`/admin/orders/${order.id}/fulfillments`, body, { headers });
  const [one, other] = [await send(), await send()];
  t.strictSame(other.body, one.body);
  t.equal((await box.staff.get(`/admin/fulfillments?orderId=${order.id}`)).body.items.length, 1);
});
