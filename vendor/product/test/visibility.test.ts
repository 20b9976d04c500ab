/**
 * What a package hides is hidden in every read of a shopper, and pages are full nevertheless.
 */
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { findVariants, listPublishedProducts } from '../index.ts';
import { buyer, channelPackage } from './channel-package.ts';
import { publishProduct } from './helpers.ts';

const others = ['tenant', 'pricing', 'region', 'inventory', 'cart', 'payment', 'order', 'checkout', 'collection'];
const box = await createTestBox(t, await channelPackage(t, others));

async function createProduct(tenant: TestTenant, title: string, channels: readonly string[]) {
  const body = await publishProduct(tenant, { title, variants: [{ title: 'One', sku: title.toUpperCase() }] });
  await list(tenant, body.id, channels);
  return { id: body.id as string, handle: body.handle as string, variantId: body.variants[0].id as string };
}

const list = (tenant: TestTenant, productId: string, channels: readonly string[]) =>
  tenant.db.insertMany(
    'channel_products',
    channels.map((channelId) => ({ channelId, productId })),
  );
const unlist = (tenant: TestTenant, productId: string) => tenant.db.remove('channel_products', { productId });
const through = (channel: string) => ({ headers: { 'x-channel': channel } });
type Titled = { title: string }[];
const titles = (products: Titled) => products.map(({ title }) => title);

t.test('a hidden product is 404 by every id and handle', async (t) => {
  const tenant = await box.openTenant();
  const seen = await createProduct(tenant, 'Seen', ['web', 'trade']);
  const hidden = await createProduct(tenant, 'Hidden', ['trade']);
  await tenant.staff.put(`/admin/variants/${hidden.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 100 }] });
  for (const path of [
    `/products/${hidden.id}`,
    `/products/${hidden.handle}`,
    `/variants/${hidden.variantId}`,
    `/variants/${hidden.variantId}/availability`,
  ]) {
    t.match(await tenant.visitor().get(path), { status: 404, body: { code: 'not_found' } }, path);
    t.equal((await tenant.visitor().get(path, through('trade'))).status, 200, `${path} through its channel`);
    const same = path.replace(hidden.id, seen.id).replace(hidden.handle, seen.handle);
    t.equal((await tenant.visitor().get(same.replace(hidden.variantId, seen.variantId))).status, 200);
  }
  for (const query of [
    '',
    '?q=hid',
    '?handle=hidden',
    '?sort=title',
    '?sort=oldest',
    '?fields=title',
    '?fields=options,title',
  ]) {
    const { body } = await tenant.visitor().get(`/products${query}`);
    t.strictSame(titles(body.items), query.includes('hid') ? [] : ['Seen'], query);
  }
  const found = await tenant.visitor().get('/products?q=hid', through('trade'));
  t.strictSame(titles(found.body.items), ['Hidden']);
  t.equal((await tenant.staff.get(`/admin/products/${hidden.id}`)).status, 200, 'staff see it');
  t.equal((await tenant.staff.get('/admin/products')).body.items.length, 2);
  t.match(await tenant.visitor().post('/cart/items', { variantId: hidden.variantId, quantity: 1 }), { status: 404 });
});

t.test('pages are full, and a cursor of one channel shows nothing of another', async (t) => {
  const tenant = await box.openTenant();
  const expected: string[] = [];
  for (let index = 10; index < 32; index += 1) {
    const isSeen = index % 3 === 0 || index > 28;
    await createProduct(tenant, `P${index}`, isSeen ? ['web', 'trade'] : ['trade']);
    if (isSeen) expected.push(`P${index}`);
  }
  const scan = async (path: string, items: (body: never) => { items: Titled; nextCursor: string | null }) => {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const { body } = await tenant.visitor().get(`${path}${cursor ? `&cursor=${cursor}` : ''}`);
      const page = items(body as never);
      pages.push(titles(page.items));
      cursor = page.nextCursor;
    } while (cursor);
    return pages;
  };
  const paged = (all: readonly string[]) =>
    [all.slice(0, 4), all.slice(4, 8), all.slice(8)].filter(({ length }) => length);
  const newest = [...expected].reverse();
  for (const [sort, order] of [
    ['newest', newest],
    ['oldest', expected],
    ['title', expected],
  ] as const) {
    t.strictSame(await scan(`/products?limit=4&sort=${sort}`, (body) => body), paged(order), sort);
  }
  await tenant.staff.post('/admin/collections', {
    title: 'By rule',
    rule: { match: 'all', conditions: [{ field: 'title', operator: 'starts_with', value: 'p' }] },
  });
  const all = (await tenant.staff.get('/admin/products?limit=100')).body.items as { id: string }[];
  await tenant.staff.post('/admin/collections', { title: 'By hand', productIds: all.map(({ id }) => id) });
  for (const handle of ['by-rule', 'by-hand']) {
    const pages = await scan(`/collections/${handle}?limit=4`, ({ products }) => products);
    t.strictSame(pages, paged(newest), handle);
  }
  const { nextCursor } = (await tenant.visitor().get('/products?limit=4', through('trade'))).body;
  const rest = await tenant.visitor().get(`/products?limit=100&cursor=${nextCursor}`);
  t.strictSame(titles(rest.body.items), newest.slice(3), 'hidden products stay hidden');
  const empty = await tenant.visitor().get('/products', through('nobody'));
  t.strictSame(empty.body, { items: [], nextCursor: null });
});

t.test('all conditions must hold, by groups and time', async (t) => {
  const tenant = await box.openTenant();
  const [early, listed] = [await createProduct(tenant, 'Early', ['web']), await createProduct(tenant, 'Unlisted', [])];
  await tenant.db.insert('product_releases', { productId: early.id, releasedAt: new Date(Date.now() + 3_600_000) });
  const ids = [early.id, listed.id];
  const seen = async (viewer?: object) => titles(await listPublishedProducts(tenant.db, ids, { viewer }));
  t.strictSame(await seen(), [], 'anonymous, now');
  const later = new Date(Date.now() + 7_200_000);
  t.strictSame(await seen({ time: later }), ['Early']);
  t.strictSame(await seen({ memberId: buyer }), ['Unlisted']);
  t.strictSame(await seen({ memberId: buyer, time: later }), ['Early', 'Unlisted']);
  t.strictSame(await seen({ memberId: buyer, time: later, channelId: 'trade' }), ['Early', 'Unlisted']);
  t.strictSame(await seen({ channelId: 'trade', time: later }), []);
  const hidden = async (viewer?: object) =>
    [...(await findVariants(tenant.db, [early.variantId, listed.variantId], viewer)).values()]
      .filter((variant) => variant.hidden)
      .map(({ productTitle }) => productTitle)
      .sort();
  t.strictSame(await hidden(), [], 'without a viewer');
  t.strictSame(await hidden({}), ['Early', 'Unlisted']);
  t.strictSame(await hidden({ memberId: buyer }), ['Early']);
});

t.test('a product hidden after it was added to a cart is unavailable there and cannot be ordered', async (t) => {
  const tenant = await box.openTenant();
  const [visible, hidden] = [
    await createProduct(tenant, 'Kept', ['web']),
    await createProduct(tenant, 'Gone', ['web']),
  ];
  for (const { variantId } of [visible, hidden]) {
    await tenant.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 500 }] });
    await tenant.staff.patch(`/admin/stock-items/${variantId}`, { tracked: false });
  }
  const shopper = tenant.shopper();
  for (const { variantId } of [visible, hidden]) await shopper.post('/cart/items', { variantId, quantity: 1 });
  t.equal((await shopper.get('/cart')).body.totals.total.amount, 1000);
  await unlist(tenant, hidden.id);
  const { body } = await shopper.get('/cart');
  const issues = body.items.map((item: { title: string; issues: string[] }) => [item.title, item.issues]);
  t.strictSame(issues, [
    ['Kept', []],
    ['Gone', ['unavailable']],
  ]);
  t.equal(body.totals.total.amount, 500);
  const customer = { email: 'ada@example.com', name: 'Ada Lovelace' };
  t.match(await shopper.post('/checkout', { customer }), { status: 409, body: { code: 'cart_not_ready' } });
  await list(tenant, hidden.id, ['web']);
  t.equal((await shopper.post('/checkout', { customer })).status, 201);
});
