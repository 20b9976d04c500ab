/**
 * A package that is added later: its migrations are older than some that have been applied, and are applied nevertheless.
 */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { callerOf, createTestBox, exactly, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { startBox } from '../../runtime/start-box.ts';

const basic = ['core', 'auth', 'tenant', 'media', 'product'].map((name) => `@carton/${name}`);

t.test('collections are added to a store with products', async (t) => {
  const box = await createTestBox(t, { packages: basic, tier: 'basic', database: 'empty' });
  const product = (await box.staff.post('/admin/products', { title: 'Hat', status: 'published' })).body;
  t.match(await box.visitor().get('/collections'), { status: 404 });
  const migrations = async () =>
    (await box.box.database.box.query<{ file: string }>('select file from applied_migrations order by file')).map(
      ({ file }) => file,
    );
  const before = await migrations();
  t.ok(before.some((file) => file.startsWith('20260301101000_product')));

  const options = { tier: 'growth', packagesFrom: sourceRoot, host: '127.0.0.1', port: 0 } as const;
  const upgraded = await startBox({
    ...options,
    databaseUrl: box.databaseUrl,
    packages: [...basic, '@carton/collection'],
    hostingSecret: box.secrets.hosting,
    strictResponses: true,
  });
  t.teardown(() => upgraded.stop());
  const added = (await migrations()).filter((file) => !before.includes(file));
  t.strictSame(
    added,
    (await readdir(join(dirname(sourceRoot), 'vendor/collection/migrations')))
      .filter((file) => file.endsWith('.js'))
      .sort(),
  );
  t.ok((added[0] as string) < (before.at(-1) as string), 'they are older than applied ones');

  const staff = callerOf(upgraded.url, box.staff.headers);
  const created = await staff.post('/admin/collections', { title: 'Hats', productIds: [product.id] });
  t.equal(created.status, 201);
  const seen = await callerOf(upgraded.url, box.visitor().headers).get('/collections/hats');
  t.match(seen, { status: 200, body: { products: { items: exactly([{ id: product.id, title: 'Hat' }]) } } });
});

t.test('a new box applies them all at its first start', async (t) => {
  const box = await createTestBox(t, {
    packages: [...basic, '@carton/collection'],
    tier: 'growth',
    database: 'empty',
  });
  t.match(await box.visitor().get('/collections'), { status: 200, body: { items: exactly([]) } });
  const [row] = await box.box.database.box.query<{ exists: boolean }>(
    `select exists (select from pg_constraint where conname = 'collection_products_product_id') as exists`,
  );
  t.ok(row?.exists, 'a collection cannot reference a product of another tenant');
});
