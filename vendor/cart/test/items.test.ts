/**
 * Adding, changing and removing items: what is accepted, what is rejected, and that a rejection changes nothing.
 */
import { shopperWith } from '@carton/cart/testing';
import { eventsOf, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { countRows, forSale, openBox, quantitiesOf } from './helpers.ts';

const box = await openBox(t);
const eur = (amount: number) => ({ amount, currency: 'EUR' });

t.test('a shopper without a session has an empty cart, and reading it writes nothing', async (t) => {
  const { status, headers, body } = await box.visitor().get('/cart');
  t.equal(status, 200);
  t.notOk(headers.get('x-session-id') ?? headers.get('set-cookie'), 'no session starts');
  t.strictSame(body, {
    id: null,
    currency: 'EUR',
    regionId: null,
    country: null,
    locale: null,
    email: null,
    note: null,
    items: [],
    shippingAddress: null,
    billingAddress: null,
    adjustments: [],
    totals: {
      subtotal: eur(0),
      discount: eur(0),
      shipping: eur(0),
      tax: eur(0),
      credit: eur(0),
      rounding: eur(0),
      total: eur(0),
    },
    issues: [],
    updatedAt: null,
  });
  t.equal(await countRows(box, 'carts'), 0);
  const unknown = await box.visitor().get('/cart', { headers: { 'x-session-id': 'a'.repeat(43) } });
  t.match(unknown, { status: 200, body: { id: null } }, 'an unknown session has an empty cart too');
});

t.test('the first item creates session and cart, and adding it again increases its line', async (t) => {
  const [shirt, socks] = [await forSale(box, { price: 2550 }), await forSale(box, { price: 333 })];
  const shopper = box.shopper();
  const first = await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 2 });
  t.equal(first.status, 201);
  t.equal(first.headers.get('location'), '/cart');
  t.match(first.headers.get('set-cookie'), /HttpOnly/i);
  t.match(first.body, {
    id: String,
    items: exactly([
      {
        variantId: shirt.variantId,
        productId: shirt.productId,
        title: shirt.title,
        variantTitle: 'Only',
        sku: /^SKU/,
        quantity: 2,
        unitPrice: eur(2550),
        total: eur(5100),
        issues: [],
      },
    ]),
    totals: { subtotal: eur(5100), total: eur(5100) },
  });
  await shopper.post('/cart/items', { variantId: socks.variantId, quantity: 3 });
  const third = await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 });
  t.equal(third.body.id, first.body.id);
  t.strictSame(quantitiesOf(third.body), [
    [shirt.variantId, 3],
    [socks.variantId, 3],
  ]);
  t.strictSame(third.body.totals.total, eur(8649));
  t.strictSame((await shopper.get('/cart')).body, third.body, 'reading the cart returns the same');
  t.match(
    await eventsOf(box, first.body.id),
    exactly([
      { type: 'cart.created', payload: { memberId: null, regionId: null, currency: 'EUR', itemCount: 2 } },
      { type: 'cart.updated', payload: { itemCount: 5 } },
      { type: 'cart.updated', payload: { itemCount: 6 } },
    ]),
  );
});

t.test('quantities are changed, lines removed, the cart emptied', async (t) => {
  const [shirt, socks] = [await forSale(box), await forSale(box)];
  const shopper = await shopperWith(box, [shirt, 1], [socks, 1]);
  const { items, id } = (await shopper.get('/cart')).body;
  const changed = await shopper.patch(`/cart/items/${items[0].id}`, { quantity: 7 });
  t.equal(changed.status, 200);
  t.strictSame(quantitiesOf(changed.body), [
    [shirt.variantId, 7],
    [socks.variantId, 1],
  ]);
  t.equal((await shopper.delete(`/cart/items/${items[1].id}`)).status, 204);
  t.strictSame(quantitiesOf((await shopper.get('/cart')).body), [[shirt.variantId, 7]]);
  t.match(await shopper.delete(`/cart/items/${items[1].id}`), { status: 404, body: { code: 'not_found' } });
  t.match(await shopper.patch(`/cart/items/${items[1].id}`, { quantity: 1 }), { status: 404 });
  t.equal((await shopper.delete('/cart')).status, 204);
  t.match((await shopper.get('/cart')).body, { id, items: exactly([]), totals: { total: eur(0) } });
  t.match((await eventsOf(box, id)).at(-1), { type: 'cart.updated', payload: { itemCount: 0 } });
});

t.test('without a cart, items are not found and emptying is a no-op', async (t) => {
  const before = await countRows(box, 'carts');
  for (const shopper of [box.shopper(), box.shopper()]) {
    const item = '/cart/items/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
    t.match(await shopper.patch(item, { quantity: 1 }), { status: 404 });
    t.match(await shopper.delete(item), { status: 404 });
    t.match(await shopper.delete('/cart'), { status: 204 });
    shopper.headers['x-session-id'] = 'b'.repeat(43);
  }
  t.equal(await countRows(box, 'carts'), before);
});

t.test('items that cannot be ordered are rejected', async (t) => {
  const unpublished = await forSale(box, { status: 'draft' });
  t.match(await box.staff.patch(`/admin/products/${unpublished.productId}`, { title: 'Secret' }), { status: 200 });
  const deleted = await forSale(box);
  await box.staff.delete(`/admin/products/${deleted.productId}`);
  const unpriced = await forSale(box);
  await unpriced.price([{ currency: 'USD', amount: 1000 }]);
  const short = await forSale(box, { stock: 2 });
  const plenty = await forSale(box, { stock: 100_000 });
  const elsewhere = await forSale(await box.openTenant());
  const cases: [string, unknown, number, string][] = [
    ['unknown', { variantId: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001', quantity: 1 }, 404, 'variant_not_found'],
    ["another tenant's", { variantId: elsewhere.variantId, quantity: 1 }, 404, 'variant_not_found'],
    ['unpublished', { variantId: unpublished.variantId, quantity: 1 }, 404, 'variant_not_found'],
    ['deleted', { variantId: deleted.variantId, quantity: 1 }, 404, 'variant_not_found'],
    ['unpriced', { variantId: unpriced.variantId, quantity: 1 }, 409, 'variant_not_priced'],
    ['more than in stock', { variantId: short.variantId, quantity: 3 }, 409, 'insufficient_stock'],
    ['zero', { variantId: plenty.variantId, quantity: 0 }, 400, 'invalid_request'],
    ['a fraction', { variantId: plenty.variantId, quantity: 0.5 }, 400, 'invalid_request'],
    ['too many', { variantId: plenty.variantId, quantity: 10_000 }, 400, 'invalid_request'],
    ['no variant', { quantity: 1 }, 400, 'invalid_request'],
    ['an unknown field', { variantId: plenty.variantId, quantity: 1, price: 1 }, 400, 'invalid_request'],
    ['an invalid id', { variantId: 'x', quantity: 1 }, 400, 'invalid_request'],
  ];
  const before = await Promise.all([countRows(box, 'carts'), eventTypesOf(box)]);
  for (const [name, body, status, code] of cases) {
    t.match(await box.shopper().post('/cart/items', body), { status, body: { code } }, name);
  }
  const { variantId } = unpublished;
  const hidden = { status: 404, body: { detail: `There is no variant for sale with the id ${variantId}.` } };
  t.match(await box.shopper().post('/cart/items', { variantId, quantity: 1 }), hidden, 'its title is not told');
  t.match(await box.shopper().put('/cart/items', { items: [{ variantId, quantity: 1 }] }), hidden);
  t.strictSame(await Promise.all([countRows(box, 'carts'), eventTypesOf(box)]), before, 'nothing is written');

  const shopper = await shopperWith(box, [short, 2], [plenty, 9999]);
  const [line] = (await shopper.get('/cart')).body.items;
  const again = { variantId: short.variantId, quantity: 1 };
  t.match(await shopper.post('/cart/items', again), { status: 409, body: { code: 'insufficient_stock' } });
  const more = await shopper.patch(`/cart/items/${line.id}`, { quantity: 3 });
  t.match(more, { status: 409, body: { code: 'insufficient_stock' } });
  t.match(await shopper.patch(`/cart/items/${line.id}`, { quantity: 0 }), { status: 400 });
  const full = await shopper.post('/cart/items', { variantId: plenty.variantId, quantity: 1 });
  t.match(full, { status: 409, body: { code: 'quantity_limit' } });
  t.strictSame(quantitiesOf((await shopper.get('/cart')).body), [
    [short.variantId, 2],
    [plenty.variantId, 9999],
  ]);
});

t.test('stock does not limit untracked and back-ordered variants', async (t) => {
  const [untracked, backOrdered] = [await forSale(box, { stock: 0 }), await forSale(box, { stock: 0 })];
  await untracked.updateStockItem({ tracked: false });
  await backOrdered.updateStockItem({ backOrderPolicy: 'allow' });
  const shopper = await shopperWith(box, [untracked, 500], [backOrdered, 500]);
  t.match((await shopper.get('/cart')).body.items, exactly([{ issues: [] }, { issues: [] }]));
});

t.test('a cart can have at most 500 lines', async (t) => {
  const shirt = await forSale(box);
  const options = [{ name: 'Number', values: Array.from({ length: 100 }, (_, at) => String(at)) }];
  const variantIds: string[] = [];
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) {
    const product = await box.staff.post('/admin/products', { title, status: 'published', options });
    variantIds.push(...product.body.variants.map(({ id }: { id: string }) => id));
  }
  t.equal(variantIds.length, 500);
  const shopper = await shopperWith(box, [shirt, 1]);
  const { id } = (await shopper.get('/cart')).body;
  const fill = (variants: string[]) =>
    box.db.query(
      `insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity)
       select $1, gen_random_uuid(), $2, variant, 1 from unnest($3::uuid[]) variant`,
      [id, variants],
    );
  await fill(variantIds.slice(0, 499));
  t.equal((await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 })).status, 201);
  const other = await forSale(box);
  const more = await shopper.post('/cart/items', { variantId: other.variantId, quantity: 1 });
  t.match(more, { status: 409, body: { code: 'cart_full' } });
  t.equal((await shopper.get('/cart')).body.items.length, 500);
});

t.test('a repeated idempotency key adds once', async (t) => {
  const shirt = await forSale(box);
  const shopper = await shopperWith(box, [shirt, 1]);
  const add = (quantity: number) =>
    shopper.post('/cart/items', { variantId: shirt.variantId, quantity }, { headers: { 'idempotency-key': 'one' } });
  const [first, second] = [await add(2), await add(2)];
  t.strictSame([first.status, second.status], [201, 201]);
  t.strictSame(second.body, first.body);
  t.equal(second.headers.get('idempotent-replayed'), 'true');
  t.match(await add(3), { status: 409, body: { code: 'idempotency_key_reused' } });
  t.strictSame(quantitiesOf((await shopper.get('/cart')).body), [[shirt.variantId, 3]]);
});

t.test("no shopper and no tenant reaches another's cart", async (t) => {
  const shirt = await forSale(box);
  const shopper = await shopperWith(box, [shirt, 1]);
  const { id, items } = (await shopper.get('/cart')).body;
  const other = await shopperWith(box, [shirt, 1]);
  t.not((await other.get('/cart')).body.id, id);
  const path = `/cart/items/${items[0].id}`;
  t.match(await other.patch(path, { quantity: 2 }), { status: 404 });
  t.match(await other.delete(path), { status: 404 });
  const otherTenant = (await box.openTenant()).visitor();
  const headers = { 'x-session-id': shopper.headers['x-session-id'] as string };
  t.match(await otherTenant.get('/cart', { headers }), { status: 200, body: { id: null, items: exactly([]) } });
  t.match(await otherTenant.delete(path, { headers }), { status: 404 });
  t.match(await otherTenant.delete('/cart', { headers }), { status: 204 });
  t.strictSame(quantitiesOf((await shopper.get('/cart')).body), [[shirt.variantId, 1]]);
});
