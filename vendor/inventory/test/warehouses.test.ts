/**
 * Several locations, kept by a package of the test's own: which of them a sale takes from, and where things go back to.
 */
import { newId } from '@carton/runtime';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';

import {
  availabilityOf,
  defaultLocation,
  releaseStock,
  reserveStock,
  returnStock,
  type StockLine,
  type StockReference,
  type StockSale,
  takeStock,
} from '../index.ts';
import { adjust, codeOf, eventsOf, stocked } from './helpers.ts';
import { warehousePackage } from './warehouse-package.ts';

const box = await createTestBox(t, {
  ...(await warehousePackage(t, ['tenant', 'pricing', 'region', 'cart', 'payment', 'order', 'checkout'])),
});
const reference = (type = 'order') => ({ type, id: newId() });

const open = async (rank: number, country: string, sells = true): Promise<string> =>
  (await box.staff.post('/admin/warehouses', { rank, country, sells })).body.id;
const [porto, lyon, repairs] = [await open(1, 'PT'), await open(2, 'FR'), await open(3, 'FR', false)];

/** A variant with so many on hand in Porto, Lyon and the repair shop, which sells nothing. */
async function spread(amounts: [porto: number, lyon: number, repairs: number], item: Record<string, unknown> = {}) {
  const made = await stocked(box, 0, item);
  for (const [index, locationId] of [porto, lyon, repairs].entries()) {
    const quantity = amounts[index] as number;
    if (quantity > 0) await adjust(box, made.itemId, { quantity, reason: 'received', locationId });
  }
  return made;
}

/** On hand and reserved in Porto, Lyon and the repair shop; and that the ledger says the same. */
async function standing(t: Test, itemId: string) {
  const { levels, onHand, reserved, available } = (await box.staff.get(`/admin/stock-items/${itemId}`)).body;
  const ledger = await box.db.query<{ locationId: string; sum: number }>(
    `select location_id, sum(quantity)::integer as sum from stock_movements
      where tenant_id = $1 and stock_item_id = $2 group by 1`,
    [itemId],
  );
  const of = (locationId: string) => {
    const level = levels.find((one: { locationId: string }) => one.locationId === locationId);
    t.equal(ledger.find((row) => row.locationId === locationId)?.sum ?? 0, level.onHand, 'the ledger agrees');
    t.equal(level.available, level.onHand - level.reserved);
    return [level.onHand, level.reserved];
  };
  const found = [porto, lyon, repairs].map(of);
  t.strictSame(of(defaultLocation), [0, 0], 'the default location sells nothing here');
  const sum = (at: 0 | 1) => found.reduce((total, pair) => total + (pair[at] as number), 0);
  t.strictSame([onHand, reserved, available], [sum(0), sum(1), sum(0) - sum(1)]);
  return found;
}

const take = (lines: StockLine[], options: { reserved?: StockReference; sale?: StockSale } = {}, order = reference()) =>
  box.db.transaction((tx) => takeStock(tx, lines, order, options));
const refusal = (work: Promise<unknown>) => work.then(() => 'done', codeOf);

t.test('a sale takes from the first location that has all of it, else from one after the other', async (t) => {
  const shirt = await spread([3, 5, 9]);
  const line = (quantity: number) => [{ variantId: shirt.variantId, quantity }];
  t.strictSame(
    await box
      .visitor()
      .get(`/variants/${shirt.variantId}/availability`)
      .then(({ body }) => body.quantity),
    '1-9',
  );
  t.equal((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId)?.limit, 8, 'of those that sell');

  await take(line(2));
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [1, 0],
      [5, 0],
      [9, 0],
    ],
    'the first has it',
  );
  await take(line(4));
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [1, 0],
      [1, 0],
      [9, 0],
    ],
    'the first does not, the second does',
  );
  t.equal(await refusal(take(line(3))), 'insufficient_stock');
  await take(line(2));
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [0, 0],
      [0, 0],
      [9, 0],
    ],
    'none has it alone',
  );
  const short = await take(line(1)).catch((thrown) => thrown);
  t.match(short.message, '1 wanted, 0 available');
});

t.test('the sale says what the choice of locations turns on', async (t) => {
  const shirt = await spread([3, 3, 0]);
  await take([{ variantId: shirt.variantId, quantity: 2 }], { sale: { country: 'FR' } });
  t.strictSame(await standing(t, shirt.itemId), [
    [3, 0],
    [1, 0],
    [0, 0],
  ]);
});

t.test('an order is served by the location that the address asks for', async (t) => {
  const shirt = await spread([3, 3, 0]);
  await box.staff.put(`/admin/variants/${shirt.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 900 }] });
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 });
  const address = { name: 'Ada', line1: '1 rue Mercière', city: 'Lyon', postalCode: '69002', country: 'FR' };
  t.equal((await shopper.put('/cart/shipping-address', address)).status, 200);
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  t.equal(placed.status, 201);
  const [, inLyon] = await standing(t, shirt.itemId);
  t.strictSame(inLyon, [2, 0]);
});

t.test('a line that names a location is taken there and nowhere else, also where nothing is sold', async (t) => {
  const [shirt, cap] = [await spread([3, 3, 1]), await spread([1, 1, 0])];
  const at = (locationId: string, quantity: number) => ({ variantId: shirt.variantId, quantity, locationId });
  await take([
    at(lyon, 1),
    { variantId: shirt.variantId, quantity: 3 },
    at(repairs, 1),
    { variantId: cap.variantId, quantity: 2 },
  ]);
  t.strictSame(await standing(t, shirt.itemId), [
    [0, 0],
    [2, 0],
    [0, 0],
  ]);
  t.strictSame(await standing(t, cap.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  t.equal(await refusal(take([at(repairs, 1)])), 'insufficient_stock');
  t.equal(await refusal(take([at(newId(), 1)])), 'insufficient_stock', 'no location of this shop');
  t.equal(await refusal(take([at(lyon, 2), { variantId: shirt.variantId, quantity: 1 }])), 'insufficient_stock');
  await take([at(lyon.toUpperCase(), 1), { variantId: shirt.variantId.toUpperCase(), quantity: 1 }]);
  t.strictSame(await standing(t, shirt.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});

t.test('what is owed is owed by the first location, and takes nothing from another', async (t) => {
  const shirt = await spread([1, 2, 0], { backOrderPolicy: 'allow' });
  await take([{ variantId: shirt.variantId, quantity: 7 }]);
  t.strictSame(await standing(t, shirt.itemId), [
    [-4, 0],
    [0, 0],
    [0, 0],
  ]);
  await adjust(box, shirt.itemId, { quantity: 3, reason: 'received', locationId: lyon });
  await box.staff.patch(`/admin/stock-items/${shirt.itemId}`, { backOrderPolicy: 'deny' });
  t.equal((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId)?.limit, 3);
  await take([{ variantId: shirt.variantId, quantity: 3 }]);
  t.strictSame(await standing(t, shirt.itemId), [
    [-4, 0],
    [0, 0],
    [0, 0],
  ]);
});

t.test('a reservation stands where it was made, and is sold from there', async (t) => {
  const shirt = await spread([2, 4, 0]);
  const cart = reference('cart');
  const hold = (quantity: number) =>
    box.db.transaction((tx) => reserveStock(tx, [{ variantId: shirt.variantId, quantity }], cart));
  await hold(3);
  t.strictSame(await standing(t, shirt.itemId), [
    [2, 0],
    [4, 3],
    [0, 0],
  ]);
  await adjust(box, shirt.itemId, { quantity: 5, reason: 'received', locationId: porto });
  await hold(2);
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [7, 0],
      [4, 2],
      [0, 0],
    ],
    'it does not move while it suffices',
  );
  await hold(5);
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [7, 3],
      [4, 2],
      [0, 0],
    ],
    'only what is more is looked for',
  );
  const { body } = await box.staff.get(`/admin/stock-reservations?referenceId=${cart.id}`);
  t.strictSame(new Set(body.items.map(({ locationId }: { locationId: string }) => locationId)), new Set([porto, lyon]));
  await take([{ variantId: shirt.variantId, quantity: 4 }], { reserved: cart });
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [4, 0],
      [3, 0],
      [0, 0],
    ],
    'from both, in their order',
  );
});

t.test('a reservation at a location that has stopped selling is still its owner’s', async (t) => {
  const shirt = await spread([0, 4, 0]);
  const cart = reference('cart');
  await box.db.transaction((tx) => reserveStock(tx, [{ variantId: shirt.variantId, quantity: 3 }], cart));
  const close = (sells: boolean) => box.db.update('warehouses', { id: lyon }, { sells });
  await close(false);
  t.equal(await refusal(take([{ variantId: shirt.variantId, quantity: 1 }])), 'insufficient_stock');
  const limit = async (reserved?: StockReference) =>
    (await availabilityOf(box.db, [shirt.variantId], { reserved })).get(shirt.variantId)?.limit;
  t.strictSame([await limit(), await limit(cart)], [0, 3]);
  t.equal(await refusal(take([{ variantId: shirt.variantId, quantity: 4 }], { reserved: cart })), 'insufficient_stock');
  await take([{ variantId: shirt.variantId, quantity: 2 }], { reserved: cart });
  await close(true);
  t.strictSame(await standing(t, shirt.itemId), [
    [0, 0],
    [2, 0],
    [0, 0],
  ]);
  await box.db.transaction((tx) => releaseStock(tx, cart));
  t.strictSame(await standing(t, shirt.itemId), [
    [0, 0],
    [2, 0],
    [0, 0],
  ]);
});

t.test('an order that is canceled gives back to where it was taken from, whatever is there by then', async (t) => {
  const shirt = await spread([1, 1, 0], { backOrderPolicy: 'allow' });
  await box.staff.put(`/admin/variants/${shirt.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 900 }] });
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 2 });
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  t.equal(placed.status, 201);
  t.strictSame(await standing(t, shirt.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  await take([{ variantId: shirt.variantId, quantity: 3 }]);
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [-3, 0],
      [0, 0],
      [0, 0],
    ],
    'three are owed',
  );
  const cancel = () => box.staff.post(`/admin/orders/${placed.body.id}/cancel`, {});
  t.equal((await cancel()).status, 200);
  t.strictSame(await standing(t, shirt.itemId), [
    [-2, 0],
    [1, 0],
    [0, 0],
  ]);
  await cancel();
  t.strictSame(
    await standing(t, shirt.itemId),
    [
      [-2, 0],
      [1, 0],
      [0, 0],
    ],
    'once',
  );
});

t.test('parts come back to where they were taken from, or to where the line says', async (t) => {
  const shirt = await spread([2, 2, 0]);
  const order = reference();
  await take([{ variantId: shirt.variantId, quantity: 4 }], {}, order);
  const back = (lines: StockLine[], from = order) => box.db.transaction((tx) => returnStock(tx, lines, from));
  await back([{ variantId: shirt.variantId, quantity: 1 }]);
  await back([{ variantId: shirt.variantId, quantity: 2 }]);
  await back([{ variantId: shirt.variantId, quantity: 1 }]);
  t.strictSame(await standing(t, shirt.itemId), [
    [2, 0],
    [2, 0],
    [0, 0],
  ]);
  await back([{ variantId: shirt.variantId, quantity: 1, locationId: repairs }], reference('return'));
  t.strictSame(await standing(t, shirt.itemId), [
    [2, 0],
    [2, 0],
    [1, 0],
  ]);

  const elsewhere = newId();
  await back([{ variantId: shirt.variantId, quantity: 1, locationId: elsewhere }], reference('return'));
  const { levels } = (await box.staff.get(`/admin/stock-items/${shirt.itemId}`)).body;
  t.match(
    levels.find(({ locationId }: StockLine) => locationId === elsewhere),
    { onHand: 1 },
    'giving back never fails',
  );
});

t.test('staff adjust at a location that keeps the item', async (t) => {
  const shirt = await spread([4, 0, 0], { lowStockLevel: 2 });
  const change = (body: Record<string, unknown>) => adjust(box, shirt.itemId, { reason: 'lost', ...body });
  t.match(await change({ quantity: -1, locationId: lyon }), { status: 409, body: { detail: /0 on hand/ } });
  t.match(await change({ quantity: -1, locationId: newId() }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/locationId' }]) },
  });
  const made = await change({ quantity: -2, locationId: porto });
  t.match(made.body, { movement: { locationId: porto, quantity: -2 }, stockItem: { onHand: 2 } });
  t.strictSame((await eventsOf(box, 'stock.low')).at(-1), {
    variantId: shirt.variantId,
    available: 2,
    lowStockLevel: 2,
  });
  const lows = (await eventsOf(box, 'stock.low')).length;
  await adjust(box, shirt.itemId, { quantity: 3, reason: 'received', locationId: repairs });
  await change({ quantity: -3, locationId: repairs });
  t.equal((await eventsOf(box, 'stock.low')).length, lows, 'what does not sell is not low');
});

t.test('many at once over two locations: as many are sold as there are', async (t) => {
  const [shirt, cap] = [await spread([7, 6, 0]), await spread([3, 9, 0])];
  const work = Array.from({ length: 30 }, (_, index) => {
    const lines = [shirt, cap].map(({ variantId }) => ({ variantId, quantity: 1 }));
    return refusal(take(index % 2 ? lines.reverse() : lines, { sale: { country: index % 3 ? 'FR' : 'PT' } }));
  });
  const outcomes = await Promise.all(work);
  t.equal(outcomes.filter((one) => one === 'done').length, 12);
  t.strictSame(new Set(outcomes), new Set(['done', 'insufficient_stock']));
  const left = await standing(t, shirt.itemId);
  t.equal((left[0]?.[0] ?? 0) + (left[1]?.[0] ?? 0), 1);
  t.strictSame(await standing(t, cap.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});
