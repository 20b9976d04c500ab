/**
 * Scheduled publication: shoppers see a product exactly within its times, and each change of that has one event.
 */
import { createTestBox, eventsOf, exactly, raceRounds, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { findVariants, isForSale, listPublishedProducts } from '../index.ts';
import { applySchedules } from '../schedule/job.ts';
import { publishProduct } from './helpers.ts';

// The job would archive products whose time is over while a test looks at them.
const box = await createTestBox(t, { idleJobs: true });
const hour = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();

async function create(tenant: TestTenant, title: string, fields: object = {}) {
  const body = await publishProduct(tenant, { title, ...fields });
  return { ...body, path: `/admin/products/${body.id}`, variantId: body.variants[0].id as string };
}

/** Moves the times of a product; its next change is due from the moment it was. */
async function setTimes(id: string, publishAt: string | null, unpublishAt: string | null = null): Promise<void> {
  const [product] = await box.owner.query<{ tenantId: string }>('select tenant_id from products where id = $1', [id]);
  await box.box.database.forTenant(product?.tenantId as string).query(
    `update products set publish_at = $3::timestamptz, unpublish_at = $4::timestamptz,
            visibility_changes_at = coalesce(case when publish_at > now() then $3 end, $4, $3)::timestamptz
      where tenant_id = $1 and id = $2`,
    [id, publishAt, unpublishAt],
  );
}

const titlesIn = (items: { title: string }[]) => items.map(({ title }) => title);

/** The titles of the products that shoppers see in each place. */
async function seen(tenant: TestTenant, products: readonly { id: string; handle: string; variantId: string }[]) {
  const visitor = tenant.visitor();
  const paths = [
    '/products',
    '/products?sort=title',
    '/products?sort=oldest',
    '/products?fields=title',
    '/products?q=p',
  ];
  const lists = await Promise.all(paths.map(async (path) => titlesIn((await visitor.get(path)).body.items).toSorted()));
  const statuses = [];
  for (const { id, handle, variantId } of products) {
    for (const path of [`/products/${id}`, `/products/${handle}`, `/variants/${variantId}`]) {
      statuses.push((await visitor.get(path)).status);
    }
  }
  return { lists, statuses };
}

async function changesOf(tenant: TestTenant, id: string) {
  const events = await eventsOf<{ status: string }>(tenant, id);
  return events.map(({ type, payload }) => `${type} ${payload.status}`);
}

t.test('a product with a time of before there were bounds is read and changed', async (t) => {
  const tenant = await box.openTenant();
  const { id, path } = await create(tenant, 'Poncho');
  for (const publishAt of ['0001-01-01T00:00:00Z', '1850-06-01T00:00:00Z']) {
    await setTimes(id, publishAt);
    t.match(await tenant.staff.get(path), { status: 200, body: { publishAt: /Z$/ } }, publishAt);
    t.match(await tenant.staff.patch(path, { title: `Poncho of ${publishAt}` }), { status: 200 });
    t.equal((await tenant.visitor().get(`/products/${id}`)).status, 200);
  }
});

t.test('shoppers see a product from its time on, and until its time, whether the job ran or not', async (t) => {
  const tenant = await box.openTenant();
  const now = await create(tenant, 'Pants', { publishAt: inHours(-2), unpublishAt: inHours(2) });
  const soon = await create(tenant, 'Parka', { publishAt: inHours(1) });
  t.match(soon, { publishAt: /Z$/, unpublishAt: null, status: 'published' });
  const all = (titles: string[]) => Array.from({ length: 5 }, () => titles);
  const [ok, none] = [
    [200, 200, 200],
    [404, 404, 404],
  ];
  t.strictSame(await seen(tenant, [now, soon]), { lists: all(['Pants']), statuses: [...ok, ...none] });
  await setTimes(soon.id, inHours(-1));
  await setTimes(now.id, inHours(-3), inHours(-2));
  t.strictSame(await seen(tenant, [now, soon]), { lists: all(['Parka']), statuses: [...none, ...ok] });
  await applySchedules(tenant.db);
  t.strictSame(await seen(tenant, [now, soon]), { lists: all(['Parka']), statuses: [...none, ...ok] });
});

t.test('other packages see products within their times only', async (t) => {
  const tenant = await box.openTenant();
  const shown = await create(tenant, 'Shown', { publishAt: inHours(-1), unpublishAt: inHours(1) });
  const early = await create(tenant, 'Early', { publishAt: inHours(1) });
  const late = await create(tenant, 'Late');
  await setTimes(late.id, null, inHours(-1));
  const products = [shown, early, late];
  const ids = products.map(({ id }) => id);
  t.strictSame(titlesIn(await listPublishedProducts(tenant.db, ids, {})), ['Shown']);
  const variants = await findVariants(
    tenant.db,
    products.map(({ variantId }) => variantId),
  );
  t.strictSame(
    products.map(({ variantId }) => isForSale(variants.get(variantId) as never)),
    [true, false, false],
  );
});

t.test('lists of categories and collections, carts and the sitemap follow the schedule', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const product = await create(tenant, 'Parka');
  await staff.put(`/admin/variants/${product.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 100 }] });
  await create(tenant, 'Newer parka', { publishAt: inHours(1) });
  const [{ id: stockId }] = (await staff.get(`/admin/stock-items?variantId=${product.variantId}`)).body.items;
  await staff.post(`/admin/stock-items/${stockId}/adjustments`, { quantity: 5, reason: 'received' });
  const category = (await staff.post('/admin/categories', { name: 'Coats' })).body;
  await staff.put(`/admin/categories/${category.id}/products`, { productIds: [product.id] });
  const conditions = [{ field: 'title', operator: 'contains', value: 'parka' }];
  const automatic = { title: 'Automatic', rule: { match: 'all', conditions } };
  const collection = (await staff.post('/admin/collections', automatic)).body;
  const shopper = tenant.shopper();
  t.equal((await shopper.post('/cart/items', { variantId: product.variantId, quantity: 1 })).status, 201);
  const places = async () => {
    const visitor = tenant.visitor();
    const listed = (await visitor.get(`/products?category=${category.handle}`)).body.items.length;
    const byTitle = (await visitor.get(`/products?category=${category.handle}&sort=title`)).body.items.length;
    const found = (await visitor.get(`/collections/${collection.handle}?limit=1`)).body.products.items.length;
    const inSitemap = (await visitor.get('/sitemap.xml')).body.includes('/products/parka');
    const [line] = (await shopper.get('/cart')).body.items;
    return { listed, byTitle, found, inSitemap, issues: line.issues };
  };
  const shown = { listed: 1, byTitle: 1, found: 1, inSitemap: true, issues: [] };
  t.strictSame(await places(), shown);
  const hidden = { listed: 0, byTitle: 0, found: 0, inSitemap: false, issues: ['unavailable'] };
  await setTimes(product.id, inHours(1));
  t.strictSame(await places(), hidden, 'too early');
  t.equal((await shopper.post('/checkout', { customer: { email: 'ada@example.com' } })).status, 409);
  await setTimes(product.id, null, inHours(-1));
  t.strictSame(await places(), hidden, 'too late');
  await setTimes(product.id, inHours(-1), inHours(1));
  t.strictSame(await places(), shown);
});

t.test('each change of visibility has one event, and a product whose time is over is archived', async (t) => {
  const tenant = await box.openTenant();
  const product = await create(tenant, 'Parka', { publishAt: inHours(1), unpublishAt: inHours(2) });
  const draft = await create(tenant, 'Draft', { status: 'draft', publishAt: inHours(1) });
  const run = async () => {
    await applySchedules(tenant.db);
    await applySchedules(tenant.db);
    return changesOf(tenant, product.id);
  };
  const created = 'product.created published';
  t.strictSame(await run(), [created]);
  await setTimes(product.id, inHours(-1), inHours(1));
  await box.owner.query('update products set publish_at = $2 where id = $1', [draft.id, inHours(-1)]);
  const published = [created, 'product.updated published'];
  t.strictSame(await run(), published);
  await setTimes(product.id, inHours(-2), inHours(-1));
  const archived = [...published, 'product.updated archived'];
  t.strictSame(await run(), archived);
  t.match(await tenant.staff.get(product.path), { body: { status: 'archived' } });
  t.strictSame(titlesIn((await tenant.staff.get('/admin/products?q=par&status=archived')).body.items), ['Parka']);
  t.strictSame(await changesOf(tenant, draft.id), ['product.created draft']);
  t.match(await tenant.staff.patch(product.path, { status: 'published' }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/unpublishAt' }]) },
  });
  t.equal((await tenant.staff.patch(product.path, { status: 'published', unpublishAt: null })).status, 200);
  t.equal((await tenant.visitor().get('/products/parka')).status, 200);
  t.strictSame(await run(), [...archived, 'product.updated published']);
});

t.test('a change of the schedule replaces what was due', async (t) => {
  const tenant = await box.openTenant();
  const product = await create(tenant, 'Parka', { publishAt: inHours(1) });
  const due = async () => {
    const [row] = await tenant.db.query<{ due: string | null }>(
      'select visibility_changes_at as due from products where tenant_id = $1 and id = $2',
      [product.id],
    );
    return row?.due;
  };
  t.equal(await due(), product.publishAt);
  const times = { publishAt: inHours(3), unpublishAt: inHours(5) };
  const change = async (patch: object) => {
    const { status, body } = await tenant.staff.patch(product.path, patch);
    t.equal(status, 200);
    t.match(body, patch);
    return due();
  };
  t.equal(await change(times), times.publishAt);
  t.equal(await change({ title: 'Long parka' }), times.publishAt);
  t.equal(await change({ publishAt: null }), times.unpublishAt);
  t.equal(await change({ status: 'draft' }), null);
  t.equal(await change({ status: 'published' }), times.unpublishAt);
  t.equal(await change({ unpublishAt: null }), null);
});

t.test('a schedule has time between its ends', async (t) => {
  const tenant = await box.openTenant();
  const product = await create(tenant, 'Parka');
  const detail = 'unpublishAt must be later than publishAt';
  const errors = exactly(['/publishAt', '/unpublishAt'].map((pointer) => ({ in: 'body', pointer, detail })));
  const refused = { status: 400, body: { errors } };
  const past = [{ in: 'body', pointer: '/unpublishAt', detail: 'must be in the future for a published product' }];
  const isOver = { status: 400, body: { errors: exactly(past) } };
  const { staff } = tenant;
  const time = inHours(2);
  const times = { publishAt: time, unpublishAt: time };
  t.match(await staff.post('/admin/products', { title: 'Other', ...times }), refused);
  t.match(await staff.patch(product.path, times), refused);
  t.equal((await staff.patch(product.path, { publishAt: inHours(1) })).status, 200);
  t.match(await staff.patch(product.path, { unpublishAt: inHours(0.5) }), refused);
  t.match(await staff.patch(product.path, { publishAt: null, unpublishAt: inHours(-1) }), isOver);
  const over = { title: 'Over', status: 'published', unpublishAt: inHours(-1) };
  t.match(await staff.post('/admin/products', over), isOver);
  t.match(await staff.post('/admin/products', { ...over, status: 'archived' }), { status: 201 });
  t.match(await staff.patch(product.path, { publishAt: 'tomorrow' }), { status: 400 });
});

t.test('several workers apply each schedule once, and one that dies leaves its products to the others', async (t) => {
  const tenant = await box.openTenant();
  for (let round = 0; round < raceRounds; round++) {
    const products = await Promise.all(
      ['A', 'B', 'C'].map((name) => create(tenant, `Round ${round} ${name}`, { publishAt: inHours(1) })),
    );
    for (const { id } of products) await setTimes(id, inHours(-1));
    const died = tenant.db.transaction(async (tx) => {
      await applySchedules(tx);
      throw new Error('killed');
    });
    await t.rejects(died, { message: 'killed' });
    await Promise.all([applySchedules(tenant.db), applySchedules(tenant.db), applySchedules(tenant.db)]);
    await applySchedules(tenant.db);
    for (const { id } of products) {
      t.strictSame(await changesOf(tenant, id), ['product.created published', 'product.updated published']);
    }
  }
});

t.test('a product that staff withdraw while its schedule is applied is a draft', async (t) => {
  const tenant = await box.openTenant();
  for (let round = 0; round < raceRounds; round++) {
    const product = await create(tenant, `Race ${round}`, { unpublishAt: inHours(1) });
    await setTimes(product.id, null, inHours(-1));
    await Promise.all([applySchedules(tenant.db), tenant.staff.patch(product.path, { status: 'draft' })]);
    t.match(await tenant.staff.get(product.path), { body: { status: 'draft' } });
  }
});

t.test('a copy has no schedule', async (t) => {
  const tenant = await box.openTenant();
  const { path } = await create(tenant, 'Parka', { publishAt: inHours(1), unpublishAt: inHours(2) });
  const { body } = await tenant.staff.post(`${path}/duplicate`);
  t.match(body, { status: 'draft', publishAt: null, unpublishAt: null });
});

t.test('a product that gets another handle before its time leaves no redirect', async (t) => {
  const tenant = await box.openTenant();
  const soon = await create(tenant, 'Soon', { publishAt: inHours(1) });
  const now = await create(tenant, 'Now', { publishAt: inHours(-1) });
  for (const { path, handle } of [soon, now]) await tenant.staff.patch(path, { handle: `new-${handle}` });
  const statusOf = async (path: string) =>
    (await tenant.visitor().get(`/redirects/resolve?path=${encodeURIComponent(path)}`)).status;
  t.equal(await statusOf('/products/now'), 200);
  t.equal(await statusOf('/products/soon'), 404);
  t.equal((await tenant.visitor().get('/products/soon')).status, 404);
});
