/**
 * PUT /cart/items replaces all items of a cart, or none.
 */
import { shopperWith } from '@carton/cart/testing';
import { eventsOf, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { countRows, forSale, openBox, quantitiesOf } from './helpers.ts';

const box = await openBox(t);
const [shirt, socks, hat] = [await forSale(box, { stock: 10_000 }), await forSale(box), await forSale(box)];
const item = ({ variantId }: { variantId: string }, quantity: number, properties?: object) => ({
  ...{ variantId, quantity, properties },
});
const replace = (shopper: ReturnType<typeof box.shopper>, ...items: object[]) => shopper.put('/cart/items', { items });
interface Item {
  id: string;
  quantity: number;
  properties: object;
}
const linesOf = ({ items }: { items: Item[] }) =>
  items.map(({ id, quantity, properties }) => [id, quantity, properties]);

t.test('all items are replaced; those with the same variant and properties keep their id', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1], [socks, 2]);
  const engraved = { text: 'For Ada', b: true };
  await shopper.post('/cart/items', item(shirt, 3, engraved));
  await shopper.patch('/cart', { note: 'Ring', email: 'ada@example.com' });
  const before = (await shopper.get('/cart')).body;
  const [plainId, , engravedId] = before.items.map(({ id }: Item) => id);
  const items = [item(hat, 4), item(shirt, 5, { b: true, text: 'For Ada' }), item(shirt, 1)];
  const replaced = await replace(shopper, ...items);
  t.equal(replaced.status, 200);
  t.match(replaced.body, {
    id: before.id,
    note: 'Ring',
    email: 'ada@example.com',
    totals: { total: { amount: 10_000 } },
  });
  const [, , hatId] = replaced.body.items.map(({ id }: Item) => id);
  t.strictSame(linesOf(replaced.body), [
    [plainId, 1, {}],
    [engravedId, 5, engraved],
    [hatId, 4, {}],
  ]);
  t.strictSame((await shopper.get('/cart')).body, replaced.body);
  const again = (await replace(shopper, ...items.toReversed())).body;
  t.strictSame(linesOf(again), linesOf(replaced.body), 'a repeated request leads to the same cart');
  t.match((await eventsOf(box, before.id)).at(-1), { type: 'cart.updated', payload: { itemCount: 10 } });
});

t.test('the first request creates cart and session; an empty list removes all items', async (t) => {
  const shopper = box.shopper();
  const other = await shopperWith(box, [hat, 1]);
  const carts = await countRows(box, 'carts');
  t.match(await replace(shopper), { status: 200, body: { id: null, items: exactly([]) } });
  t.equal(await countRows(box, 'carts'), carts, 'there is nothing to empty');
  const { body, headers } = await replace(shopper, item(shirt, 2), item(socks, 1));
  t.match(headers.get('set-cookie'), /HttpOnly/i);
  t.strictSame(quantitiesOf(body), [
    [shirt.variantId, 2],
    [socks.variantId, 1],
  ]);
  t.match(await replace(shopper), {
    status: 200,
    body: { id: body.id, items: exactly([]), totals: { total: { amount: 0 } } },
  });
  t.strictSame((await shopper.get('/cart')).body.items, []);
  t.strictSame(quantitiesOf((await other.get('/cart')).body), [[hat.variantId, 1]], 'other carts keep their items');
});

t.test('items that cannot be ordered are reported together, and nothing changes', async (t) => {
  const rare = await forSale(box, { stock: 3 });
  const draft = await forSale(box, { status: 'draft' });
  const dollars = await forSale(box);
  await dollars.price([{ currency: 'USD', amount: 100 }]);
  const unknown = { variantId: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001' };
  const foreign = await forSale(await box.openTenant());
  const shopper = await shopperWith(box, [shirt, 2]);
  const before = (await shopper.get('/cart')).body;
  const events = await eventTypesOf(box);
  const refused = await replace(
    shopper,
    ...[item(hat, 1), item(rare, 2), item(rare, 2, { as: 'gift', x: 1 }), item(draft, 1), item(dollars, 1)],
    ...[item(unknown, 1), item(foreign, 1)],
  );
  t.equal(refused.status, 409);
  t.equal(refused.body.code, 'insufficient_stock');
  t.strictSame(
    refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    [
      ...['/items/1/quantity', '/items/2/quantity', '/items/3/variantId', '/items/4/variantId'],
      ...['/items/5/variantId', '/items/6/variantId'],
    ],
  );
  t.equal(refused.body.detail, refused.body.errors[0].detail);
  t.equal(refused.body.errors[3].detail, `${dollars.title} Only has no price in EUR.`);
  for (const one of [draft, unknown, foreign]) {
    const errors = exactly([{ in: 'body', pointer: '/items/1/variantId' }]);
    const alone = await replace(shopper, item(hat, 1), item(one, 1));
    t.match(alone, { status: 404, body: { code: 'variant_not_found', errors } });
  }
  t.strictSame((await shopper.get('/cart')).body, before);
  t.strictSame(await eventTypesOf(box), events);
  const visitor = box.shopper();
  const carts = await countRows(box, 'carts');
  t.equal((await replace(visitor, item(unknown, 1))).status, 404);
  t.equal(await countRows(box, 'carts'), carts, 'a refused first request creates no cart');
});

t.test('duplicates, invalid properties and too many items are refused', async (t) => {
  const shopper = await shopperWith(box, [shirt, 2]);
  const before = (await shopper.get('/cart')).body;
  const pointersOf = async (...items: object[]) => {
    const { status, body } = await replace(shopper, ...items);
    return [status, ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)];
  };
  const upper = { variantId: shirt.variantId.toUpperCase() };
  t.strictSame(
    await pointersOf(item(shirt, 1), item(hat, 1), item(upper, 2), item(hat, 1, { '': 'x' }), item(hat, 2)),
    [400, '/items/2', '/items/3/properties', '/items/4'],
  );
  const composed = [item(hat, 1, { name: 'Zoe\u0301', a: 1 }), item(hat, 1, { a: 1, name: 'Zo\u00e9' })];
  t.strictSame(await pointersOf(...composed), [400, '/items/1']);
  t.strictSame(await pointersOf(item(shirt, 1), item(hat, 0)), [400, '/items/1/quantity']);
  const engraved = (count: number) => Array.from({ length: count }, (_, number) => item(shirt, 1, { number }));
  t.strictSame(await pointersOf(...engraved(501)), [400, '/items']);
  t.strictSame((await shopper.get('/cart')).body, before);
  const full = await replace(shopper, ...engraved(500));
  t.match(full, { status: 200, body: { items: { length: 500 } } });
  t.strictSame((await shopper.get('/cart')).body.items.length, 500);
});
