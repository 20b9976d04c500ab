/**
 * The demo store is filled once, over the box's own API; later starts keep what its owner changes.
 */
import { createTestBox, exactly, packagesOfTier } from '@carton/runtime/testing';
import t from 'tap';
import { createDemoStore, demoSlug } from '../demo-store/index.ts';
import type { StackSecrets } from '../settings.ts';

const packages = packagesOfTier('enterprise');
const box = await createTestBox(t);
const email = 'owner@demo.example';
const secrets: StackSecrets = {
  adminSecret: '',
  registrySecret: '',
  publishSecret: '',
  hostingSecret: box.secrets.hosting,
  operatorSecret: box.secrets.operator,
  staff: { email, password: 'correct horse battery' },
  licenseKeys: {},
};
/** The content of the file. */
let saved: StackSecrets = structuredClone(secrets);
const save = async (changed: StackSecrets) => {
  saved = structuredClone(changed);
};
const fill = (current: StackSecrets) => createDemoStore(box.url, current, packages, save);
const tenantHeaders = { 'x-tenant-slug': demoSlug, 'x-hosting-secret': box.secrets.hosting };

async function staff() {
  const login = await box.operator.post('/admin/auth/login', secrets.staff, {
    headers: { ...tenantHeaders, authorization: '' },
  });
  return { headers: { ...tenantHeaders, authorization: `Bearer ${login.body.token}` } };
}

const handles = async () => {
  const { items } = (await box.hosting.get('/products?limit=100', { headers: tenantHeaders })).body;
  return items.map(({ handle }: { handle: string }) => handle).sort();
};
const all = [
  ...['campfire-recipes', 'canvas-tote', 'enamel-mug', 'linen-shirt', 'notebook', 'oak-cutting-board'],
  'wool-scarf',
];

t.test('the next start resumes an interrupted one', async (t) => {
  const interrupted = async (changed: StackSecrets) => {
    await save(changed);
    throw new Error('power failure');
  };
  await t.rejects(createDemoStore(box.url, structuredClone(saved), packages, interrupted), /power failure/);
  t.match(saved.demoInvite, /^inv_/);
  t.equal(saved.demoFilled, undefined);
  await fill(structuredClone(saved));
  t.type(saved.demoFilled, 'string');
  t.strictSame(await handles(), all);
});

t.test('the products are in a tree of categories', async (t) => {
  const { items } = (await box.hosting.get('/categories', { headers: tenantHeaders })).body;
  const lines = items.map(({ depth, handle }: { depth: number; handle: string }) => `${depth} ${handle}`);
  t.strictSame(lines, ['0 clothes', '1 shirts', '1 accessories', '0 home', '1 kitchen']);
  const listed = await box.hosting.get('/products?category=home&sort=title', { headers: tenantHeaders });
  t.strictSame(
    listed.body.items.map(({ handle }: { handle: string }) => handle),
    ['campfire-recipes', 'enamel-mug', 'notebook', 'oak-cutting-board'],
  );
});

t.test('one product is a file, which needs no shipping', async (t) => {
  const options = await staff();
  const { items } = (await box.operator.get('/admin/products?handle=campfire-recipes', options)).body;
  const [{ id, requiresShipping }] = items[0].variants;
  t.equal(requiresShipping, false);
  const { body } = await box.operator.get(`/admin/variants/${id}/downloads`, options);
  t.match(body.items, exactly([{ fileName: 'campfire-recipes.txt' }]));
});

const get = async (path: string) => (await box.hosting.get(path, { headers: tenantHeaders })).body;

t.test('it looks like a store', async (t) => {
  const { items } = await get('/products?limit=100');
  for (const { handle, media, brand, seoDescription } of items) {
    t.equal(media.length, 1, handle);
    t.ok(brand && seoDescription && media[0].altText, handle);
    const picture = await box.hosting.get(media[0].variants[0].url, { headers: tenantHeaders });
    t.equal(picture.headers.get('content-type'), 'image/webp', handle);
  }
  t.match(await get('/store'), { legalName: 'Demo Store GmbH', logoUrl: /^\/media\// });
  const urlsOf = async (menu: string) => (await get(`/menus/${menu}`)).items.map(({ url }: { url: string }) => url);
  t.strictSame(await urlsOf('main'), ['/categories/clothes', '/categories/home', '/pages/about']);
  t.strictSame(await urlsOf('footer'), ['/pages/shipping', '/pages/imprint']);
});

t.test('taxes, shipping and a promotion are set up', async (t) => {
  const variantId = (await get('/products/enamel-mug')).variants[0].id;
  const added = await box.hosting.post('/cart/items', { variantId, quantity: 2 }, { headers: tenantHeaders });
  const headers = { ...tenantHeaders, 'x-session-id': added.headers.get('x-session-id') as string };
  await box.hosting.patch('/cart', { country: 'FR' }, { headers });
  const address = { name: 'Ada', line1: '1 Main Street', city: 'Paris', postalCode: '75003', country: 'FR' };
  await box.hosting.put('/cart/shipping-address', address, { headers });
  const { groups } = (await box.hosting.get('/cart/shipping-options', { headers })).body;
  t.strictSame(
    groups[0].options.map(({ name }: { name: string }) => name),
    ['Standard, 2 to 4 days', 'Express, the next day'],
  );
  await box.hosting.put('/cart/shipping-method', { optionId: groups[0].options[0].id }, { headers });
  const { body: cart } = await box.hosting.post('/cart/promotions', { code: 'welcome' }, { headers });
  // 2 × 14.50 less 10 %, and 4.90 for shipping; of which 20/120 are tax.
  t.match(cart.totals, { discount: { amount: -290 }, shipping: { amount: 490 }, total: { amount: 3100 } });
  t.equal(cart.totals.tax.amount, 517);
});

t.test('a guest buys in three calls', async (t) => {
  const headers = { ...tenantHeaders, 'x-session-id': '' };
  const { items } = (await box.hosting.get('/products', { headers: tenantHeaders })).body;
  const item = { variantId: items[0].variants[0].id, quantity: 1 };
  const added = await box.hosting.post('/cart/items', item, { headers: tenantHeaders });
  t.equal(added.status, 201);
  headers['x-session-id'] = added.headers.get('x-session-id') as string;
  const placed = await box.hosting.post('/checkout', { customer: { email: 'ada@example.com' } }, { headers });
  t.match(placed, { status: 201, body: { status: 'placed' } });
});

t.test('products that the owner archived stay archived', async (t) => {
  const options = await staff();
  const { items } = (await box.operator.get('/admin/products?limit=100', options)).body;
  const idOf = (handle: string) => items.find((item: { handle: string }) => item.handle === handle).id;
  t.match(await box.operator.patch(`/admin/products/${idOf('notebook')}`, { status: 'archived' }, options), {
    status: 200,
  });
  await fill(structuredClone(saved));
  t.strictSame(
    await handles(),
    all.filter((handle) => handle !== 'notebook'),
  );
});

/** What the owner can delete, by the list that has it. */
const lists = [
  'products',
  'pages',
  'menus',
  'categories',
  'collections',
  'promotions',
  'tax-rates',
  'shipping-options',
  'shipping-zones',
  'regions',
];
const idsOf = async () => {
  const options = await staff();
  const listed = [];
  for (const list of lists) {
    const { items } = (await box.operator.get(`/admin/${list}?limit=100`, options)).body;
    listed.push([list, items.map(({ id }: { id: string }) => id).sort()] as const);
  }
  return listed;
};

t.test('without the mark of an earlier start, nothing is created twice', async (t) => {
  const before = await idsOf();
  const { demoFilled, ...lost } = structuredClone(saved);
  await fill(lost);
  t.equal(saved.demoFilled, demoFilled);
  t.strictSame(await idsOf(), before);
  t.notOk((await handles()).includes('notebook'), 'it stays archived');
});

t.test('what the owner deleted stays deleted, with the mark and without it', async (t) => {
  const options = await staff();
  const logo = await box.operator.put('/admin/store/logo', { mediaAssetId: null }, options);
  t.equal(logo.status, 200);
  for (const [list, ids] of await idsOf()) {
    // All categories and shipping options are deleted, so that what they belong to can be; one of all others stays.
    const some =
      list === 'categories' || list === 'shipping-options'
        ? ids.toReversed()
        : ids.slice(0, Math.max(1, ids.length - 1));
    for (const id of some) {
      const { status, body } = await box.operator.delete(`/admin/${list}/${id}`, options);
      t.equal(status, 204, `${list} ${JSON.stringify(body)}`);
    }
  }
  const left = await idsOf();
  const { demoFilled: _, ...lost } = structuredClone(saved);
  for (const state of [structuredClone(saved), lost]) {
    await fill(state);
    t.strictSame(await idsOf(), left);
    t.equal((await get('/store')).logoUrl, null);
  }
});

t.test('an interrupted start is resumed without what the owner has deleted meanwhile', async (t) => {
  const options = await staff();
  const { items } = (await box.operator.get('/admin/users', options)).body;
  const { id, metadata } = (await box.operator.get(`/admin/users/${items[0].id}`, options)).body;
  const { page, ...rest } = { page: 'page/about', ...metadata.demoStore };
  const { [page]: __, 'menu/main': ___, ...done } = rest;
  await box.operator.patch(`/admin/users/${id}`, { metadata: { own: true, demoStore: done } }, options);
  const { demoFilled: _, ...lost } = structuredClone(saved);
  await fill(lost);
  t.equal((await box.operator.get('/admin/pages?handle=about', options)).body.items.length, 1);
  const main = await get('/menus/main');
  t.strictSame(
    main.items.map(({ url }: { url: string }) => url),
    ['/pages/about'],
    'its categories are deleted',
  );
  t.equal((await box.operator.get(`/admin/users/${id}`, options)).body.metadata.own, true);
});

t.test('it is reached by the name of this machine beside other tenants', async (t) => {
  const { port } = new URL(box.url);
  const { body } = await box.hosting.get(`/tenants/lookup?host=127.0.0.1:${port}`);
  t.strictSame(body, { tenantSlug: demoSlug });
  t.match(await box.shopper().get('/products'), { status: 200 });
});
