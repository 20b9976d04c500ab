/**
 * A price is the same wherever it appears: on the storefront's pages, in the cart, at checkout and in the order.
 */

import { json, newId } from '@carton/runtime';
import { type Caller, countRoundTrips } from '@carton/runtime/testing';
import t from 'tap';
import { resolvePrices } from '../resolving/service.ts';
import { boxWithPriceLists } from './price-lists.ts';

const box = await boxWithPriceLists(t);
const { db, staff } = box;

let productCount = 0;
async function product(price = 1000): Promise<{ id: string; handle: string; variantId: string }> {
  const variants = [{ title: 'Only', sku: `SKU-${++productCount}` }];
  const { body } = await staff.post('/admin/products', {
    title: `Product ${productCount}`,
    status: 'published',
    variants,
  });
  const variantId = body.variants[0].id;
  await staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: price }] });
  const [item] = (await staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items;
  await staff.post(`/admin/stock-items/${item.id}/adjustments`, { quantity: 1000, reason: 'received' });
  return { id: body.id, handle: body.handle, variantId };
}

interface List {
  startsAt?: Date;
  endsAt?: Date;
  groupId?: string;
  condition?: unknown;
}
/** Inserts a price list with these amounts by minimum quantity. */
async function priceList(variantId: string, amounts: Record<number, number>, list: List = {}): Promise<string> {
  const id = newId();
  await db.insert('price_lists', { id, currency: 'EUR', ...list, condition: list.condition && json(list.condition) });
  const entries = Object.entries(amounts).map(([from, amount]) => ({
    listId: id,
    variantId,
    fromQuantity: Number(from),
    amount,
  }));
  await db.insertMany('price_list_entries', entries);
  return id;
}

const shown = ({ price, compareAtPrice }: { price: { amount: number }; compareAtPrice: { amount: number } | null }) => [
  price.amount,
  compareAtPrice?.amount ?? null,
];

/** The unit price for a quantity, on each page: [price, compare-at price]. */
async function pricesSeenBy(
  shopper: Caller,
  { id, handle, variantId }: Awaited<ReturnType<typeof product>>,
  quantity: number,
) {
  const query = `quantity=${quantity}`;
  const list = (await shopper.get(`/products?handle=${handle}&${query}`)).body.items[0].variants[0];
  const read = (await shopper.get(`/products/${id}?${query}`)).body.variants[0];
  const variant = (await shopper.get(`/variants/${variantId}?${query}`)).body;
  const collection = await staff.post('/admin/collections', { title: `Of ${newId()}`, productIds: [id] });
  const page = (await shopper.get(`/collections/${collection.body.handle}?${query}`)).body.products.items[0];
  await shopper.delete('/cart');
  const added = (await shopper.post('/cart/items', { variantId, quantity })).body.items[0];
  const cart = (await shopper.get('/cart')).body.items[0];
  const preview = (await shopper.get('/checkout')).body.cart.items[0];
  const order = (await shopper.post('/checkout', { customer: { email: 'ada@example.com' } })).body;
  const lines = [added, cart, preview].map(({ unitPrice, compareAtPrice }) =>
    shown({ price: unitPrice, compareAtPrice }),
  );
  const [item] = order.items;
  return {
    pages: [list, read, variant, page.variants[0]].map(shown),
    lines,
    order: [item.unitPrice.amount, item.total.amount, order.totals.total.amount],
  };
}

/** The result when all pages agree. */
function everywhere(amount: number, compareAt: number | null, quantity: number) {
  return {
    pages: Array.from({ length: 4 }, () => [amount, compareAt]),
    lines: Array.from({ length: 3 }, () => [amount, compareAt]),
    order: [amount, amount * quantity, amount * quantity],
  };
}

t.test('without a price list the base price applies, without a compare-at price', async (t) => {
  t.strictSame(await pricesSeenBy(box.shopper(), await product(), 2), everywhere(1000, null, 2));
});

t.test('a price list overrides it by quantity, on every page', async (t) => {
  const shirt = await product();
  await priceList(shirt.variantId, { 1: 900, 10: 700, 100: 650 });
  const shopper = box.shopper();
  t.strictSame(await pricesSeenBy(shopper, shirt, 1), everywhere(900, 1000, 1));
  t.strictSame(await pricesSeenBy(shopper, shirt, 9), everywhere(900, 1000, 9));
  t.strictSame(await pricesSeenBy(shopper, shirt, 10), everywhere(700, 1000, 10));
  t.strictSame(await pricesSeenBy(shopper, shirt, 100), everywhere(650, 1000, 100));
});

t.test('a list price above the base price is charged, without a compare-at price', async (t) => {
  const shirt = await product();
  await priceList(shirt.variantId, { 1: 1200 });
  t.strictSame(await pricesSeenBy(box.shopper(), shirt, 1), everywhere(1200, null, 1));
});

t.test('all lines of a variant count towards a quantity break', async (t) => {
  const shirt = await product();
  await priceList(shirt.variantId, { 10: 700 });
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 6 });
  const item = { variantId: shirt.variantId, quantity: 4, properties: { engraving: 'Ada' } };
  const { body } = await shopper.post('/cart/items', item);
  t.strictSame(
    body.items.map(({ unitPrice, quantity }: { unitPrice: { amount: number }; quantity: number }) => [
      quantity,
      unitPrice.amount,
    ]),
    [
      [6, 700],
      [4, 700],
    ],
  );
});

t.test("a group's price list applies to its members only", async (t) => {
  const shirt = await product();
  const [groupId, memberId, outsider] = [newId(), newId(), newId()];
  await db.insert('group_members', { groupId, memberId });
  await priceList(shirt.variantId, { 1: 500 }, { groupId });
  const as = (id: string) => {
    const shopper = box.shopper();
    shopper.headers.authorization = `Bearer ${id}`;
    return shopper;
  };
  t.strictSame(await pricesSeenBy(as(memberId), shirt, 1), everywhere(500, 1000, 1));
  t.strictSame(await pricesSeenBy(as(outsider), shirt, 1), everywhere(1000, null, 1));
  t.strictSame(await pricesSeenBy(box.shopper(), shirt, 1), everywhere(1000, null, 1));
});

t.test('a price list applies from its start until before its end', async (t) => {
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const [past, present, future] = await Promise.all([product(), product(), product()]);
  await priceList(past.variantId, { 1: 1 }, { endsAt: new Date(now - day) });
  await priceList(present.variantId, { 1: 800 }, { startsAt: new Date(now - day), endsAt: new Date(now + day) });
  await priceList(future.variantId, { 1: 1 }, { startsAt: new Date(now + day) });
  t.strictSame(await pricesSeenBy(box.shopper(), past, 1), everywhere(1000, null, 1));
  t.strictSame(await pricesSeenBy(box.shopper(), present, 1), everywhere(800, 1000, 1));
  t.strictSame(await pricesSeenBy(box.shopper(), future, 1), everywhere(1000, null, 1));
  const items = [present, future].map(({ variantId }) => ({ variantId, quantity: 1, properties: {} }));
  const context = { currency: 'EUR', regionId: null, memberId: null, channelId: null };
  const at = async (time: number) => {
    const found = await resolvePrices(box.box.database.forTenant(box.id), items, { ...context, time: new Date(time) });
    return found.map((price) => price?.amount);
  };
  t.strictSame(await at(now + 2 * day), [1000, 1]);
});

t.test('a price list can apply to a collection', async (t) => {
  const [shirt, socks] = await Promise.all([product(), product()]);
  const { body } = await staff.post('/admin/collections', { title: 'Sale', productIds: [shirt.id] });
  const condition = { fact: 'collection', argument: { collectionIds: [body.id] } };
  const [listId] = await Promise.all([
    priceList(shirt.variantId, { 1: 750 }, { condition }),
    priceList(socks.variantId, { 1: 750 }, { condition }),
  ]);
  t.strictSame(await pricesSeenBy(box.shopper(), shirt, 1), everywhere(750, 1000, 1));
  t.strictSame(await pricesSeenBy(box.shopper(), socks, 1), everywhere(1000, null, 1));
  const items = [shirt, socks].map(({ variantId }) => ({ variantId, quantity: 1, properties: {} }));
  const context = { currency: 'EUR', regionId: null, memberId: null, channelId: null, time: new Date() };
  const tenant = box.box.database.forTenant(box.id);
  t.strictSame(await resolvePrices(tenant, items, context), [
    { amount: 750, source: { type: 'price_list', id: listId }, compareAt: 1000, lowestPrior: null },
    { amount: 1000, source: { type: 'base', id: null }, compareAt: null, lowestPrior: null },
  ]);
  t.equal(
    await countRoundTrips(box.box.database, () => resolvePrices(tenant, items, context)),
    2,
    'prices, then facts',
  );
});

t.test('items without a price resolve to null, in one round trip', async (t) => {
  const tenant = box.box.database.forTenant(box.id);
  const items = Array.from({ length: 50 }, () => ({ variantId: newId(), quantity: 1, properties: {} }));
  const context = { currency: 'EUR', regionId: null, memberId: newId(), channelId: null, time: new Date() };
  const count = await countRoundTrips(box.box.database, async () => {
    t.strictSame(
      await resolvePrices(tenant, items, context),
      items.map(() => null),
    );
  });
  t.equal(count, 1);
});
