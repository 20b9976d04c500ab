/**
 * Products by their stock: `sort=stock` of `GET /products`, which does not tell the stock.
 */
import { setTimeout } from 'node:timers/promises';
import { newId, type TenantDatabase } from '@carton/runtime';
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { releaseStock, reserveStock, returnStock, takeStock, unlimitedStock } from '../index.ts';
import { refreshProductStock } from '../products/service.ts';
import { adjust } from './helpers.ts';

const packages = ['core', 'auth', 'tenant', 'region', 'product', 'pricing', 'inventory'];
const box = await createTestBox(t, { packages: packages.map((name) => `@carton/${name}`), tier: 'basic' });
const reference = (type: string) => ({ type, id: newId() });

/** Creates a published product whose variants have these quantities on hand; returns the ids of the variants. */
async function create({ staff }: TestTenant, handle: string, ...quantities: number[]): Promise<string[]> {
  const options = [{ name: 'Size', values: quantities.map((_, at) => `S${at}`) }];
  const { body } = await staff.post('/admin/products', { title: handle, handle, status: 'published', options });
  const ids = body.variants.map(({ id }: { id: string }) => id) as string[];
  for (const [at, quantity] of quantities.entries()) {
    if (quantity > 0) await adjust({ staff } as TestTenant, ids[at] as string, { quantity, reason: 'corrected' });
  }
  return ids;
}

async function list({ visitor }: TestTenant, query: string): Promise<string[]> {
  const { status, body } = await visitor().get(`/products?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.items.map(({ handle }: { handle: string }) => handle);
}

/** The units of each product that are stored, by its handle. */
async function stored({ db }: TestTenant): Promise<Record<string, number>> {
  const rows = await db.query<{ handle: string; units: number }>(
    `select handle, units from product_stock counts
       join products on products.tenant_id = $1 and products.id = counts.product_id
      where counts.tenant_id = $1 order by handle`,
  );
  return Object.fromEntries(rows.map(({ handle, units }) => [handle, units]));
}

/** Counts what is committed by now. */
async function refresh({ db }: TestTenant): Promise<void> {
  const now = Date.now();
  while (Date.parse(await db.committedUntil()) < now) await setTimeout(100);
  await refreshProductStock(db);
}

t.test('products are sorted by what can be bought of all their variants', async (t) => {
  const tenant = await box.openTenant();
  await create(tenant, 'hat', 3, 4);
  await create(tenant, 'shirt', 2);
  const [lamp] = await create(tenant, 'lamp', 0, 1);
  await create(tenant, 'sold-out', 0);
  t.strictSame((await list(tenant, 'sort=stock')).sort(), ['hat', 'lamp', 'shirt', 'sold-out'], 'listed at once');
  await refresh(tenant);
  t.strictSame(await list(tenant, 'sort=stock'), ['sold-out', 'lamp', 'shirt', 'hat']);
  t.strictSame(await list(tenant, 'sort=-stock'), ['hat', 'shirt', 'lamp', 'sold-out']);
  await tenant.staff.patch(`/admin/stock-items/${lamp}`, { backOrderPolicy: 'allow' });
  await refresh(tenant);
  t.strictSame(await list(tenant, 'sort=-stock'), ['lamp', 'hat', 'shirt', 'sold-out'], 'sold without stock');
  t.strictSame(await stored(tenant), { hat: 7, lamp: unlimitedStock, shirt: 2, 'sold-out': 0 });
  await tenant.staff.patch(`/admin/stock-items/${lamp}`, { backOrderPolicy: 'deny', tracked: false });
  await refresh(tenant);
  t.equal((await stored(tenant)).lamp, unlimitedStock, 'not tracked');
});

t.test('the list tells the order and not the number', async (t) => {
  const tenant = await box.openTenant();
  await create(tenant, 'hat', 77_777);
  await create(tenant, 'shirt', 2);
  const [lamp] = await create(tenant, 'lamp', 55_555);
  await refresh(tenant);
  for (const query of ['stockMin=1', 'stockMax=1', 'stockMin=1&sort=stock']) {
    t.match(
      await tenant.visitor().get(`/products?${query}`),
      { status: 400, body: { code: 'invalid_request' } },
      query,
    );
  }
  t.strictSame((await list(tenant, 'inStock=true&sort=title')).length, 3);
  for (const [sort, order] of [
    ['stock', ['shirt', 'lamp', 'hat']],
    ['-stock', ['hat', 'lamp', 'shirt']],
  ] as const) {
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const after: string = cursor && `&cursor=${cursor}`;
      const { body } = await tenant.visitor().get(`/products?sort=${sort}&limit=1${after}`);
      found.push(...body.items.map(({ handle }: { handle: string }) => handle));
      cursor = body.nextCursor;
      t.notMatch(Buffer.from(cursor ?? '', 'base64url').toString(), /77777|55555/);
    }
    t.strictSame(found, order, 'all pages');
  }
  const { body } = await tenant.visitor().get('/products?sort=stock&limit=2');
  const guessed = JSON.parse(Buffer.from(body.nextCursor, 'base64url').toString());
  const after = async (number: number) => {
    const cursor = Buffer.from(JSON.stringify(['stock', number, guessed[2]])).toString('base64url');
    return list(tenant, `sort=stock&cursor=${cursor}`);
  };
  t.strictSame([await after(1), await after(99_999)], [['hat'], ['hat']], 'a number in a cursor changes nothing');
  const { body: variant } = await tenant.visitor().get(`/variants/${lamp}`);
  await tenant.staff.patch(`/admin/products/${variant.productId}`, { status: 'draft' });
  await refresh(tenant);
  t.match(await tenant.visitor().get(`/products?sort=stock&limit=2&cursor=${body.nextCursor}`), { status: 400 });
});

t.test('drafts are not counted until they are published', async (t) => {
  const tenant = await box.openTenant();
  await create(tenant, 'hat', 3);
  const { body: draft } = await tenant.staff.post('/admin/products', { title: 'Draft', handle: 'draft' });
  await refresh(tenant);
  t.strictSame(await stored(tenant), { hat: 3 });
  const become = async (status: string) => {
    await tenant.staff.patch(`/admin/products/${draft.id}`, { status });
    await refresh(tenant);
  };
  await become('published');
  t.strictSame(await stored(tenant), { draft: 0, hat: 3 });
  await become('archived');
  t.strictSame(await stored(tenant), { hat: 3 });
});

t.test('pages have each product once, also of equal stock', async (t) => {
  const tenant = await box.openTenant();
  for (let number = 0; number < 9; number++) await create(tenant, `p${number}`, number % 3);
  await refresh(tenant);
  for (const sort of ['stock', '-stock']) {
    const pages: string[][] = [];
    let cursor = '';
    do {
      const { body } = await tenant.visitor().get(`/products?sort=${sort}&limit=2${cursor}`);
      pages.push(body.items.map(({ handle }: { handle: string }) => handle));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor);
    t.equal(pages.length, 5);
    const units = pages.flat().map((handle) => Number(handle.slice(1)) % 3);
    const expected = [0, 0, 0, 1, 1, 1, 2, 2, 2];
    t.strictSame(units, sort === 'stock' ? expected : expected.toReversed());
    t.equal(new Set(pages.flat()).size, 9);
  }
});

t.test('whatever moves stock is counted', async (t) => {
  const tenant = await box.openTenant();
  const [small, large] = (await create(tenant, 'hat', 5, 5)) as [string, string];
  const counted = async () => {
    await refresh(tenant);
    return (await stored(tenant)).hat;
  };
  const inTransaction = (work: (tx: TenantDatabase) => Promise<unknown>) => tenant.db.transaction(work);
  t.equal(await counted(), 10);
  const [order, cart] = [reference('order'), reference('cart')];
  const lines = [{ variantId: small, quantity: 2 }];
  await inTransaction((tx) => takeStock(tx, lines, order));
  t.equal(await counted(), 8, 'sold');
  await inTransaction((tx) => reserveStock(tx, [{ variantId: large, quantity: 4 }], cart));
  t.equal(await counted(), 4, 'reserved');
  await inTransaction((tx) => releaseStock(tx, cart));
  t.equal(await counted(), 8, 'released');
  await inTransaction((tx) => returnStock(tx, lines, order));
  t.equal(await counted(), 10, 'returned');
  await adjust(tenant, large, { quantity: -5, reason: 'lost' });
  t.equal(await counted(), 5, 'lost');
  const [{ productId }] = await tenant.db.query<{ productId: string }>(
    'select product_id from stock_items where tenant_id = $1 limit 1',
  ) as [{ productId: string }]; // biome-ignore format: short
  t.equal((await tenant.staff.delete(`/admin/variants/${small}`)).status, 204);
  t.equal((await stored(tenant)).hat, 0, 'a deleted variant, at once');
  t.equal((await tenant.staff.delete(`/admin/products/${productId}`)).status, 204);
  t.strictSame(await tenant.db.query('select from product_stock where tenant_id = $1'), [], 'a deleted product');
});

t.test('a sale that commits late is not missed', async (t) => {
  const tenant = await box.openTenant();
  const [id] = (await create(tenant, 'hat', 5)) as [string];
  await refresh(tenant);
  let finish = () => {};
  const waiting = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const late = tenant.db.transaction(async (tx) => {
    await takeStock(tx, [{ variantId: id, quantity: 1 }], reference('order'));
    await waiting;
  });
  await setTimeout(1200);
  // Time passes, and the job runs.
  await refreshProductStock(tenant.db);
  t.equal((await stored(tenant)).hat, 5);
  finish();
  await late;
  await refresh(tenant);
  t.equal((await stored(tenant)).hat, 4);
});

t.test('nothing is written while nothing changes', async (t) => {
  const tenant = await box.openTenant();
  await create(tenant, 'hat', 3);
  await refresh(tenant);
  const refreshes = () =>
    tenant.db.query('select refreshed_until, xmin::text as version from product_stock_refreshes where tenant_id = $1');
  const before = await refreshes();
  await refresh(tenant);
  t.strictSame(await refreshes(), before);
  t.equal(before.length, 1);
});

t.test('jobs at the same time, and another store', async (t) => {
  const [one, other] = [await box.openTenant(), await box.openTenant()];
  const [id] = (await create(one, 'hat', 50)) as [string];
  await create(other, 'hat', 7);
  for (let round = 0; round < 10; round++) {
    await one.db.transaction((tx) => takeStock(tx, [{ variantId: id, quantity: 1 }], reference('order')));
    await Promise.all([refreshProductStock(one.db), refreshProductStock(one.db), refreshProductStock(other.db)]);
  }
  await Promise.all([refresh(one), refresh(one), refresh(other)]);
  t.strictSame([await stored(one), await stored(other)], [{ hat: 40 }, { hat: 7 }]);
  t.strictSame(await list(other, 'sort=stock'), ['hat']);
});
