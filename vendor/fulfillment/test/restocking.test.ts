/**
 * Refunded units that were not shipped return to stock, once: neither a cancellation, a parcel nor another refund returns
 * them again, and what was shipped or is packed stays out of stock.
 */
import { paymentAdapters, paymentRefused } from '@carton/payment';
import { reconcile, TestProvider } from '@carton/payment/testing';
import { bodyOf, createTestBox, exactly, extendBox, raceRounds, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { returnRefundedStock } from '../units/restocking.ts';
import { act, pack, placePaid, placeTaken, type Stocked, unitsOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });

const paid = (quantities: readonly number[], more?: Parameters<typeof placeTaken>[2]) =>
  placePaid(box, quantities, more);

/** Delivers the event of a refund again, three times at once. */
async function deliver(orderId: string) {
  const event = { id: '1', type: 'refund.created', resource: { type: 'payment', id: orderId }, createdAt: '' };
  const delivered = { ...event, payload: { orderId }, deliveryId: '1', attempt: 2 };
  await Promise.all([1, 2, 3].map(() => returnRefundedStock.handle(box.db, delivered)));
}

t.test('units return, and a cancellation returns the others', async (t) => {
  const { refund, stock, cancel, lineIds, order } = await paid([3, 2]);
  t.match(await refund({ items: [unitsOf(lineIds[0], 1)] }), { status: 201, body: { restock: true } });
  t.strictSame(await stock(), [1, 0]);
  await refund({ items: [unitsOf(lineIds[0], 1), unitsOf(lineIds[1], 2)] });
  t.strictSame(await stock(), [2, 2]);
  const movements = await box.db.query<{ quantity: number }>(
    `select quantity from stock_movements
      where tenant_id = $1 and reference_type = 'order' and reference_id = $2 and reason = 'returned'
      order by quantity`,
    [order.id],
  );
  t.strictSame(
    movements.map(({ quantity }) => quantity),
    [1, 1, 2],
    'under the reference of the order',
  );
  t.equal((await cancel()).status, 200);
  t.strictSame(await stock(), [3, 2]);
});

t.test('with restock false they do not return, and a cancellation returns the others', async (t) => {
  const { refund, stock, cancel, lineIds } = await paid([3]);
  t.match(await refund({ items: [unitsOf(lineIds[0], 1)], restock: false }), { status: 201, body: { restock: false } });
  t.strictSame(await stock(), [0]);
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [1], 'the other refund returns its own only');
  await cancel();
  t.strictSame(await stock(), [2]);
});

t.test('a refund of an amount returns nothing, of an item or at large', async (t) => {
  const { refund, stock, lineIds } = await paid([3]);
  const amount = { amount: 100, currency: 'EUR' };
  t.match(await refund({ amount }), { status: 201, body: { restock: false } });
  t.match(await refund({ items: [{ lineItemId: lineIds[0], amount }], restock: true }), {
    status: 201,
    body: { restock: false },
  });
  t.match(await refund(), { status: 201, body: { restock: false } }, 'all that is left');
  t.strictSame(await stock(), [0]);
});

t.test('staff see that an order which was refunded without its units is still to be shipped', async (t) => {
  const note =
    'All was refunded, but not by units: what was not shipped is still to be shipped unless its units are refunded too, or the order is canceled';
  const notesOf = async ({ id }: Stocked['order']) =>
    (await bodyOf(box.staff.get(`/admin/orders/${id}/timeline`))).items.filter(
      ({ message }: { message: string }) => message === note,
    ).length;
  const byAmount = await paid([3]);
  await byAmount.refund({ amount: { amount: 299, currency: 'EUR' } });
  t.equal(await notesOf(byAmount.order), 0, 'a part lowers the price');
  await byAmount.refund();
  t.equal(await notesOf(byAmount.order), 1);
  const listed = await bodyOf(box.staff.get('/admin/orders?paymentStatus=refunded&fulfillmentStatus=unfulfilled'));
  t.ok(listed.items.some(({ id }: { id: string }) => id === byAmount.order.id));
  const left = await bodyOf(pack(box, byAmount.order.id));
  t.match(left.items, exactly([{ quantity: 3 }]));

  const byUnits = await paid([3]);
  await byUnits.refund({ items: [unitsOf(byUnits.lineIds[0], 3)] });
  const shipped = await paid([1]);
  await bodyOf(act(box, 'ship', (await bodyOf(pack(box, shipped.order.id))).id));
  await shipped.refund();
  const canceled = await paid([1]);
  await canceled.cancel();
  await canceled.refund();
  for (const { order } of [byUnits, shipped, canceled]) t.equal(await notesOf(order), 0);
});

t.test('shipped units do not return', async (t) => {
  const { refund, stock, lineIds, order } = await paid([3]);
  const { id } = await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
  await bodyOf(act(box, 'ship', id));
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [1], 'it is the one that was to be shipped');
  await refund({ items: [unitsOf(lineIds[0], 2)] });
  t.strictSame(await stock(), [1]);
});

t.test('units of a pending parcel return with it', async (t) => {
  for (const restock of [true, false]) {
    const { refund, stock, lineIds, order } = await paid([3]);
    const { id } = await bodyOf(pack(box, order.id));
    await refund({ items: [unitsOf(lineIds[0], 1)] });
    t.strictSame(await stock(), [0]);
    await bodyOf(act(box, 'cancel', id, { restock }));
    t.strictSame(await stock(), [restock ? 3 : 1], 'the order keeps only what is left to ship');
    const again = await bodyOf(pack(box, order.id));
    t.match(again.items, exactly([{ quantity: 2 }]));
    await bodyOf(act(box, 'ship', again.id));
    t.strictSame(await stock(), [1]);
  }
});

t.test('what a canceled parcel has returned is not returned again', async (t) => {
  const { refund, stock, lineIds, order } = await paid([3]);
  const { id } = await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
  await bodyOf(act(box, 'cancel', id));
  t.strictSame(await stock(), [2]);
  await refund({ items: [unitsOf(lineIds[0], 2)] });
  t.strictSame(await stock(), [2]);
  await bodyOf(pack(box, order.id));
  t.strictSame(await stock(), [2], 'the order has kept the unit that it ships');
});

t.test(
  'units that need no parcel return, and taken ones that are not tracked now; custom ones have no stock',
  async (t) => {
    const custom = { variantId: null, productId: null, sku: null, title: 'Custom', variantTitle: null };
    const lines = [{ ...custom, quantity: 2, unitAmount: 100, totalAmount: 200 }];
    const { refund, stock, order, lineIds, variantIds } = await paid([2, 2], { spare: 0, lines });
    await box.db.query('update order_line_items set requires_shipping = false where tenant_id = $1 and id = $2', [
      lineIds[0],
    ]);
    const [item] = (await box.staff.get(`/admin/stock-items?variantId=${variantIds[1]}`)).body.items;
    await bodyOf(box.staff.patch(`/admin/stock-items/${item.id}`, { tracked: false }));
    t.equal((await refund({ items: order.items.map(({ id }) => unitsOf(id, 2)) })).status, 201);
    t.strictSame(await stock(), [2, 2]);
  },
);

t.test('repeated deliveries, and refunds of a canceled order, return nothing', async (t) => {
  const { refund, stock, cancel, lineIds, order } = await paid([3]);
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [1]);
  await deliver(order.id);
  t.strictSame(await stock(), [1]);
  await cancel();
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [3]);
});

t.test('a refund of an earlier release returns nothing, and a cancellation its units', async (t) => {
  const { refund, stock, cancel, lineIds, order } = await paid([3]);
  await refund({ items: [unitsOf(lineIds[0], 1)], restock: false });
  for (const [table, column] of [
    ['refunds', 'restock'],
    ['order_refund_items', 'written_off_quantity'],
  ]) {
    await box.db.query(`update ${table} set ${column} = default where tenant_id = $1 and order_id = $2`, [order.id]);
  }
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [1]);
  await cancel();
  t.strictSame(await stock(), [3]);
});

t.test('a refund of a provider returns the stock once it has succeeded', async (t) => {
  const provider = new TestProvider();
  const db = extendBox(t, box, [paymentAdapters.with(provider)]);
  const stocked: Stocked = await placeTaken(box, [3], { spare: 0 });
  const { order, lineIds, onHand } = stocked;
  const { id } = await bodyOf(box.visitor().post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'card' }));
  const state = { status: 'captured', captured: 300, refunded: 0 } as const;
  Object.assign(provider.payments.get(id) as object, state);
  await provider.send(box, { id: 'captured', payment: { id, state } });
  const refund = (headers = {}) =>
    box.staff.post(`/admin/payments/${id}/refunds`, { items: [unitsOf(lineIds[0], 1)] }, { headers });
  const stock = async () => {
    await untilDelivered(box);
    return onHand();
  };
  provider.before = () => {
    throw paymentRefused('Not now.');
  };
  t.equal((await refund()).status, 409);
  t.strictSame(await stock(), [0], 'refused');
  provider.before = () => {
    throw new Error('away');
  };
  const key = { 'idempotency-key': 'refund-1' };
  t.equal((await refund(key)).status, 502);
  await deliver(order.id);
  t.strictSame(await stock(), [0], 'its outcome is open');
  provider.before = () => {};
  await db.query("update payment_transactions set created_at = created_at - interval '1 minute' where tenant_id = $1");
  await Promise.all([reconcile(db), refund(key)]);
  t.strictSame(await stock(), [1]);
  t.equal((await refund(key)).status, 201);
  t.strictSame(await stock(), [1], 'one refund');
});

t.test('races', async (t) => {
  const one = (lineId: string | undefined) => ({ items: [unitsOf(lineId, 1)] });
  await t.test('of deliveries of one refund', async (t) => {
    for (let round = 0; round < raceRounds; round++) {
      const { refund, stock, lineIds, order } = await paid([3]);
      await refund(one(lineIds[0]));
      await deliver(order.id);
      t.strictSame(await stock(), [1]);
    }
  });
  await t.test('of a refund and a shipment', async (t) => {
    for (let round = 0; round < raceRounds; round++) {
      const { refund, stock, lineIds, order } = await paid([1]);
      const { id } = await bodyOf(pack(box, order.id));
      const [, shipped] = await Promise.all([refund(one(lineIds[0])), act(box, 'ship', id)]);
      t.strictSame(await stock(), [0], 'it is shipped, or in the parcel');
      if (shipped.status === 200) continue;
      await bodyOf(act(box, 'cancel', id));
      t.strictSame(await stock(), [1]);
    }
  });
  await t.test('of a refund and a parcel', async (t) => {
    for (let round = 0; round < raceRounds; round++) {
      const { refund, stock, lineIds, order } = await paid([1]);
      const [, packed] = await Promise.all([refund(one(lineIds[0])), pack(box, order.id)]);
      t.strictSame(await stock(), [packed.status === 201 ? 0 : 1]);
      if (packed.status === 201) await bodyOf(act(box, 'cancel', packed.body.id));
      t.strictSame(await stock(), [1]);
    }
  });
  await t.test('of refunds and a cancellation of the order', async (t) => {
    for (let round = 0; round < raceRounds; round++) {
      const { refund, stock, cancel, lineIds } = await paid([3]);
      await Promise.all([refund(one(lineIds[0])), cancel(), refund(one(lineIds[0]))]);
      t.strictSame(await stock(), [3]);
    }
  });
  await t.test('of refunds and the cancellation of a parcel', async (t) => {
    for (let round = 0; round < raceRounds; round++) {
      const { refund, stock, lineIds, order } = await paid([3]);
      const { id } = await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
      const restock = round % 2 === 0;
      await Promise.all([refund(one(lineIds[0])), act(box, 'cancel', id, { restock }), refund(one(lineIds[0]))]);
      if (!restock) t.strictSame(await stock(), [2], 'the order keeps one unit');
      await untilDelivered(box);
      await bodyOf(pack(box, order.id));
      t.strictSame(await stock(), [2]);
    }
  });
});
