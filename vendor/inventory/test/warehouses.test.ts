/**
 * Several locations, provided by a test package: from which of them a sale takes stock, and where returns go.
 */
import { newId } from '@carton/runtime';
import { createTestBox, exactly, payloadsOf } from '@carton/runtime/testing';
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
import { adjust, codeOf, createStockedVariant } from './helpers.ts';
import { warehousePackage } from './warehouse-package.ts';

const box = await createTestBox(t, {
  ...(await warehousePackage(t, ['tenant', 'pricing', 'region', 'cart', 'payment', 'order', 'checkout'])),
});
const reference = (type = 'order') => ({ type, id: newId() });

const createWarehouse = async (rank: number, country: string, sells = true): Promise<string> =>
  (await box.staff.post('/admin/warehouses', { rank, country, sells })).body.id;
const [porto, lyon, repairs] = [
  await createWarehouse(1, 'PT'),
  await createWarehouse(2, 'FR'),
  await createWarehouse(3, 'FR', false),
];

/** Creates a variant with quantities on hand in Porto, Lyon and the repair workshop, which serves no sales. */
async function createInWarehouses(
  amounts: [porto: number, lyon: number, repairs: number],
  item: Record<string, unknown> = {},
) {
  const variant = await createStockedVariant(box, 0, item);
  for (const [index, locationId] of [porto, lyon, repairs].entries()) {
    const quantity = amounts[index] as number;
    if (quantity > 0) await adjust(box, variant.itemId, { quantity, reason: 'received', locationId });
  }
  return variant;
}

/** On hand and reserved in Porto, Lyon and the repair workshop; also checks them against the ledger. */
async function levelsOf(t: Test, itemId: string) {
  const { levels, onHand, reserved, available } = (await box.staff.get(`/admin/stock-items/${itemId}`)).body;
  const ledger = await box.db.query<{ locationId: string; sum: number }>(
    `select location_id, sum(quantity)::integer as sum from stock_movements
      where tenant_id = $1 and stock_item_id = $2 group by 1`,
    [itemId],
  );
  const levelOf = (locationId: string) => {
    const level = levels.find((one: { locationId: string }) => one.locationId === locationId);
    t.equal(ledger.find((row) => row.locationId === locationId)?.sum ?? 0, level.onHand, 'the ledger matches');
    t.equal(level.available, level.onHand - level.reserved);
    return [level.onHand, level.reserved];
  };
  const found = [porto, lyon, repairs].map(levelOf);
  t.strictSame(levelOf(defaultLocation), [0, 0], 'the default location sells nothing here');
  const sum = (at: 0 | 1) => found.reduce((total, pair) => total + (pair[at] as number), 0);
  t.strictSame([onHand, reserved, available], [sum(0), sum(1), sum(0) - sum(1)]);
  return found;
}

const take = (lines: StockLine[], options: { reserved?: StockReference; sale?: StockSale } = {}, order = reference()) =>
  box.db.transaction((tx) => takeStock(tx, lines, order, options));
const outcomeOf = (work: Promise<unknown>) => work.then(() => 'done', codeOf);

t.test('a sale takes stock from the first location that has all of it, otherwise from several in order', async (t) => {
  const shirt = await createInWarehouses([3, 5, 9]);
  const line = (quantity: number) => [{ variantId: shirt.variantId, quantity }];
  t.strictSame(
    await box
      .visitor()
      .get(`/variants/${shirt.variantId}/availability`)
      .then(({ body }) => body.quantity),
    '1-9',
  );
  t.equal((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId)?.limit, 8, 'only locations that sell');

  await take(line(2));
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [1, 0],
      [5, 0],
      [9, 0],
    ],
    'the first has it',
  );
  await take(line(4));
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [1, 0],
      [1, 0],
      [9, 0],
    ],
    'only the second has it',
  );
  t.equal(await outcomeOf(take(line(3))), 'insufficient_stock');
  await take(line(2));
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [0, 0],
      [0, 0],
      [9, 0],
    ],
    'no single location has it',
  );
  const short = await take(line(1)).catch((thrown) => thrown);
  t.match(short.message, '1 requested, 0 available');
});

t.test('the choice of locations depends on the sale', async (t) => {
  const shirt = await createInWarehouses([3, 3, 0]);
  await take([{ variantId: shirt.variantId, quantity: 2 }], { sale: { country: 'FR' } });
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [3, 0],
    [1, 0],
    [0, 0],
  ]);
});

t.test('the shipping address decides the location of an order', async (t) => {
  const shirt = await createInWarehouses([3, 3, 0]);
  await box.staff.put(`/admin/variants/${shirt.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 900 }] });
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 });
  const address = { name: 'Ada', line1: '1 rue Mercière', city: 'Lyon', postalCode: '69002', country: 'FR' };
  t.equal((await shopper.put('/cart/shipping-address', address)).status, 200);
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  t.equal(placed.status, 201);
  const [, inLyon] = await levelsOf(t, shirt.itemId);
  t.strictSame(inLyon, [2, 0]);
});

t.test('a line with a location takes stock only there, even if the location serves no sales', async (t) => {
  const [shirt, cap] = [await createInWarehouses([3, 3, 1]), await createInWarehouses([1, 1, 0])];
  const at = (locationId: string, quantity: number) => ({ variantId: shirt.variantId, quantity, locationId });
  await take([
    at(lyon, 1),
    { variantId: shirt.variantId, quantity: 3 },
    at(repairs, 1),
    { variantId: cap.variantId, quantity: 2 },
  ]);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [0, 0],
    [2, 0],
    [0, 0],
  ]);
  t.strictSame(await levelsOf(t, cap.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  t.equal(await outcomeOf(take([at(repairs, 1)])), 'insufficient_stock');
  t.equal(await outcomeOf(take([at(newId(), 1)])), 'insufficient_stock', 'an unknown location');
  t.equal(await outcomeOf(take([at(lyon, 2), { variantId: shirt.variantId, quantity: 1 }])), 'insufficient_stock');
  await take([at(lyon.toUpperCase(), 1), { variantId: shirt.variantId.toUpperCase(), quantity: 1 }]);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});

t.test('back-orders go to the first location and do not reduce others', async (t) => {
  const shirt = await createInWarehouses([1, 2, 0], { backOrderPolicy: 'allow' });
  await take([{ variantId: shirt.variantId, quantity: 7 }]);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [-4, 0],
    [0, 0],
    [0, 0],
  ]);
  await adjust(box, shirt.itemId, { quantity: 3, reason: 'received', locationId: lyon });
  await box.staff.patch(`/admin/stock-items/${shirt.itemId}`, { backOrderPolicy: 'deny' });
  t.equal((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId)?.limit, 3);
  await take([{ variantId: shirt.variantId, quantity: 3 }]);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [-4, 0],
    [0, 0],
    [0, 0],
  ]);
});

t.test('a reservation stays at its location and is sold from there', async (t) => {
  const shirt = await createInWarehouses([2, 4, 0]);
  const cart = reference('cart');
  const reserve = (quantity: number) =>
    box.db.transaction((tx) => reserveStock(tx, [{ variantId: shirt.variantId, quantity }], cart));
  await reserve(3);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [2, 0],
    [4, 3],
    [0, 0],
  ]);
  await adjust(box, shirt.itemId, { quantity: 5, reason: 'received', locationId: porto });
  await reserve(2);
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [7, 0],
      [4, 2],
      [0, 0],
    ],
    'it does not move if the location suffices',
  );
  await reserve(5);
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [7, 3],
      [4, 2],
      [0, 0],
    ],
    'only the additional quantity is allocated',
  );
  const { body } = await box.staff.get(`/admin/stock-reservations?referenceId=${cart.id}`);
  t.strictSame(new Set(body.items.map(({ locationId }: { locationId: string }) => locationId)), new Set([porto, lyon]));
  await take([{ variantId: shirt.variantId, quantity: 4 }], { reserved: cart });
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [4, 0],
      [3, 0],
      [0, 0],
    ],
    'from both, in order',
  );
});

t.test('a reservation at a location that stops selling remains usable', async (t) => {
  const shirt = await createInWarehouses([0, 4, 0]);
  const cart = reference('cart');
  await box.db.transaction((tx) => reserveStock(tx, [{ variantId: shirt.variantId, quantity: 3 }], cart));
  const setSells = (sells: boolean) => box.db.update('warehouses', { id: lyon }, { sells });
  await setSells(false);
  t.equal(await outcomeOf(take([{ variantId: shirt.variantId, quantity: 1 }])), 'insufficient_stock');
  const limit = async (reserved?: StockReference) =>
    (await availabilityOf(box.db, [shirt.variantId], { reserved })).get(shirt.variantId)?.limit;
  t.strictSame([await limit(), await limit(cart)], [0, 3]);
  t.equal(
    await outcomeOf(take([{ variantId: shirt.variantId, quantity: 4 }], { reserved: cart })),
    'insufficient_stock',
  );
  await take([{ variantId: shirt.variantId, quantity: 2 }], { reserved: cart });
  await setSells(true);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [0, 0],
    [2, 0],
    [0, 0],
  ]);
  await box.db.transaction((tx) => releaseStock(tx, cart));
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [0, 0],
    [2, 0],
    [0, 0],
  ]);
});

t.test('a canceled order returns stock to where it came from, whatever the levels', async (t) => {
  const shirt = await createInWarehouses([1, 1, 0], { backOrderPolicy: 'allow' });
  await box.staff.put(`/admin/variants/${shirt.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 900 }] });
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 2 });
  const placed = await shopper.post('/checkout', { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  t.equal(placed.status, 201);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  await take([{ variantId: shirt.variantId, quantity: 3 }]);
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [-3, 0],
      [0, 0],
      [0, 0],
    ],
    'three on back-order',
  );
  const cancel = () => box.staff.post(`/admin/orders/${placed.body.id}/cancel`, {});
  t.equal((await cancel()).status, 200);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [-2, 0],
    [1, 0],
    [0, 0],
  ]);
  await cancel();
  t.strictSame(
    await levelsOf(t, shirt.itemId),
    [
      [-2, 0],
      [1, 0],
      [0, 0],
    ],
    'once',
  );
});

t.test('partial returns go to where the stock came from, or to the location of the line', async (t) => {
  const shirt = await createInWarehouses([2, 2, 0]);
  const order = reference();
  await take([{ variantId: shirt.variantId, quantity: 4 }], {}, order);
  const giveBack = (lines: StockLine[], from = order) => box.db.transaction((tx) => returnStock(tx, lines, from));
  await giveBack([{ variantId: shirt.variantId, quantity: 1 }]);
  await giveBack([{ variantId: shirt.variantId, quantity: 2 }]);
  await giveBack([{ variantId: shirt.variantId, quantity: 1 }]);
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [2, 0],
    [2, 0],
    [0, 0],
  ]);
  await giveBack([{ variantId: shirt.variantId, quantity: 1, locationId: repairs }], reference('return'));
  t.strictSame(await levelsOf(t, shirt.itemId), [
    [2, 0],
    [2, 0],
    [1, 0],
  ]);

  const elsewhere = newId();
  await giveBack([{ variantId: shirt.variantId, quantity: 1, locationId: elsewhere }], reference('return'));
  const { levels } = (await box.staff.get(`/admin/stock-items/${shirt.itemId}`)).body;
  t.match(
    levels.find(({ locationId }: StockLine) => locationId === elsewhere),
    { onHand: 1 },
    'a return to a new location creates its level',
  );
});

t.test('staff adjust stock at a location with a level of the item', async (t) => {
  const shirt = await createInWarehouses([4, 0, 0], { lowStockLevel: 2 });
  const change = (body: Record<string, unknown>) => adjust(box, shirt.itemId, { reason: 'lost', ...body });
  t.match(await change({ quantity: -1, locationId: lyon }), { status: 409, body: { detail: /only 0 on hand/ } });
  t.match(await change({ quantity: -1, locationId: newId() }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/locationId' }]) },
  });
  const adjusted = await change({ quantity: -2, locationId: porto });
  t.match(adjusted.body, { movement: { locationId: porto, quantity: -2 }, stockItem: { onHand: 2 } });
  t.strictSame((await payloadsOf(box, { type: 'stock.ran_low' })).at(-1), {
    variantId: shirt.variantId,
    available: 2,
    lowStockLevel: 2,
  });
  const lows = (await payloadsOf(box, { type: 'stock.ran_low' })).length;
  await adjust(box, shirt.itemId, { quantity: 3, reason: 'received', locationId: repairs });
  await change({ quantity: -3, locationId: repairs });
  t.equal((await payloadsOf(box, { type: 'stock.ran_low' })).length, lows, 'locations that do not sell do not count');
});

t.test('concurrent sales from two locations sell exactly the stock', async (t) => {
  const [shirt, cap] = [await createInWarehouses([7, 6, 0]), await createInWarehouses([3, 9, 0])];
  const work = Array.from({ length: 30 }, (_, index) => {
    const lines = [shirt, cap].map(({ variantId }) => ({ variantId, quantity: 1 }));
    return outcomeOf(take(index % 2 ? lines.reverse() : lines, { sale: { country: index % 3 ? 'FR' : 'PT' } }));
  });
  const outcomes = await Promise.all(work);
  t.equal(outcomes.filter((one) => one === 'done').length, 12);
  t.strictSame(new Set(outcomes), new Set(['done', 'insufficient_stock']));
  const left = await levelsOf(t, shirt.itemId);
  t.equal((left[0]?.[0] ?? 0) + (left[1]?.[0] ?? 0), 1);
  t.strictSame(await levelsOf(t, cap.itemId), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});
