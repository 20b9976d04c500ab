/**
 * A box whose database is Citus, on a real cluster of three nodes: distributed tables, isolation of tenants on every node
 * even from wrong statements, a complete purchase, a database that became Citus later, a failed migration.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportTenantRows } from '@carton/runtime';
import { migrate, openDatabase } from '@carton/runtime/service';
import {
  createTestBox,
  createTestDatabase,
  exactly,
  administerAt as run,
  type TestTenant,
  until,
} from '@carton/runtime/testing';
import t from 'tap';
import { isCitus } from '../../../runtime/db/citus/detect.ts';
import { newId } from '../../../runtime/db/id.ts';
import { removeDeleted } from '../../../vendor/tenant/removal.ts';
import { type Cluster, missingCitus } from '../cluster.ts';
import { startTestCluster } from './test-cluster.ts';

const skip = missingCitus();
let cluster: Cluster;
if (!skip) cluster = await startTestCluster(t);
const nameOf = (url: string) => url.split('/').at(-1) as string;

/** Publishes a product and buys it once; returns the order. */
async function buy(tenant: TestTenant): Promise<{ id: string; number: string }> {
  const product = { title: 'Shirt', handle: 'shirt', status: 'published', variants: [{ sku: 'shirt' }] };
  const created = await tenant.staff.post('/admin/products', product);
  const id = created.body.variants[0].id;
  await tenant.staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1999 }] });
  const { body } = await tenant.staff.get(`/admin/stock-items?variantId=${id}`);
  await tenant.staff.post(`/admin/stock-items/${body.items[0].id}/adjustments`, { quantity: 5, reason: 'received' });
  const shopper = tenant.shopper();
  await shopper.post('/cart/items', { variantId: id, quantity: 2 });
  const order = await shopper.post('/checkout', {
    customer: { email: 'ada@example.com', name: 'Ada', address: '1 Main Street' },
  });
  if (order.status !== 201) throw new Error(`no order: ${JSON.stringify(order.body)}`);
  return order.body;
}

t.test('a box with tenants on both workers', { skip }, async (t) => {
  const box = await createTestBox(t);
  const database = nameOf(box.databaseUrl);
  const tenants: TestTenant[] = [box, ...(await Promise.all([1, 2, 3, 4, 5].map(() => box.openTenant())))];
  for (const tenant of tenants) {
    const order = await buy(tenant);
    t.match(await tenant.staff.get('/admin/orders'), { status: 200, body: { items: exactly([{ id: order.id }]) } });
    await tenant.staff.patch('/admin/store', { legalName: 'Store', address: 'Lyon' });
    t.match(await tenant.staff.post(`/admin/orders/${order.id}/invoices`), { status: 201, body: { number: 'INV-1' } });
    const change = "update invoices set number = 'INV-2' where tenant_id = $1";
    await t.rejects(tenant.db.query(change), { code: '23001' }, 'triggers of packages work on each node');
  }

  const kinds = await run(
    box.databaseUrl,
    `select partmethod, count(*)::int from pg_dist_partition group by 1 order by 1`,
  );
  t.ok(
    kinds[0]?.partmethod === 'h' && Number(kinds[0]?.count) > 30,
    'tables with a tenant column are distributed by it',
  );
  t.strictSame(
    await run(
      box.databaseUrl,
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
          and oid not in (select logicalrelid from pg_dist_partition) order by 1`,
    ),
    ['applied_migrations', 'knex_migrations', 'knex_migrations_lock'].map((relname) => ({ relname })),
    'only tables of the migrators stay on the coordinator',
  );
  t.equal(
    (await run(box.databaseUrl, 'select distinct colocationid from pg_dist_partition where partmethod = $$h$$')).length,
    1,
  );

  const holders = new Set<number>();
  for (const worker of cluster.workers) {
    const shards = await run(
      worker.url(database),
      `select set_config('citus.override_table_visibility', 'off', false)`,
      `select relname as name, relrowsecurity and (select count(*) = 2 from pg_policy where polrelid = pg_class.oid) as bound
         from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'tenant_id'
        where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '_\\d{6,}$'`,
    );
    t.ok(shards.length > 60, `${shards.length} shards on ${worker.name}`);
    t.strictSame(
      shards.filter(({ bound }) => !bound),
      [],
      'each has its policies',
    );
    const orders = shards.filter(({ name }) => /^orders_\d+$/.test(String(name)));
    for (const { name } of orders) {
      const rows = await run(worker.url(database), `select distinct tenant_id from ${name}`);
      if (rows.length > 0) holders.add(worker.port);
    }
  }
  t.equal(holders.size, 2, 'both workers hold orders');

  for (const tenant of tenants) {
    const unscoped = 'select distinct tenant_id from orders where $1::uuid is not null';
    t.strictSame(await tenant.db.query(unscoped), [{ tenantId: tenant.id }], 'a statement without its tenant');
    t.strictSame(await tenant.db.table('orders').orWhereRaw('true').distinct('tenantId'), [{ tenantId: tenant.id }]);
    t.strictSame(await tenant.db.transaction((db) => db.query(unscoped)), [{ tenantId: tenant.id }]);
    await t.rejects(
      tenant.db.query(`insert into number_sequences (tenant_id, name, last_value) values ($2, 'x', $1::text <> '')`, [
        newId(),
      ]),
    );
  }
  t.strictSame(await box.box.database.box.query('select * from orders'), [], 'the box itself sees no rows');
  const [tenant] = await box.db.query<{ name: string }>('select name from tenants where id = $1');
  t.ok(tenant?.name, "the box's own tables can be read together with a tenant's");

  await t.test('conditional changes and unique keys work as on one machine', async (t) => {
    const { headers } = await box.staff.get('/admin/store');
    const etag = headers.get('etag') as string;
    const names = await Promise.all(
      [1, 2, 3, 4].map((n) => box.staff.patch('/admin/store', { name: `N${n}` }, { headers: { 'if-match': etag } })),
    );
    t.strictSame(names.map(({ status }) => status).sort(), [200, 412, 412, 412]);
    const slug = { slug: tenants[1]?.slug, name: 'Again', staffEmail: 'a@b.example' };
    t.match(await box.operator.post('/admin/tenants', slug), { status: 409, body: { code: 'tenant_slug_taken' } });
  });

  await t.test('tenants that move to another worker are found there', async (t) => {
    const [place] = await run(
      box.databaseUrl,
      `select shardid::text as shard, nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('orders', '${box.id}')`,
    );
    const target = cluster.workers.find(({ port }) => port !== place?.port);
    const from = cluster.workers.find(({ port }) => port === place?.port);
    const before = await box.db.query<{ n: number }>('select count(*) as n from orders where tenant_id = $1');
    let moved: Promise<unknown> | undefined;
    const move = `select citus_move_shard_placement(${place?.shard}, '127.0.0.1', ${from?.port}, '127.0.0.1', ${target?.port}, 'force_logical')`;
    await box.db.transaction(async (db) => {
      moved = run(box.databaseUrl, move);
      await new Promise((resolve) => setTimeout(resolve, 500));
      t.equal((await db.query('update orders set notes = $2 where tenant_id = $1 returning id', ['held'])).length, 1);
    });
    await moved;
    // Until the former copy of the rows is dropped, which Citus does after a while, they keep their tenants from removal.
    await run(box.databaseUrl, 'call citus_cleanup_orphaned_resources()');
    t.strictSame(
      await box.db.query('select notes from orders where tenant_id = $1'),
      [{ notes: 'held' }],
      'the update is not lost',
    );
    t.strictSame(await box.db.query('select count(*) as n from orders where tenant_id = $1'), before);
    t.strictSame(await box.db.table('orders').select('notes'), [{ notes: 'held' }]);
    t.equal(
      await box.db.transaction(async (db) => (await db.query('select id from orders where tenant_id = $1')).length),
      1,
    );
  });

  await t.test('the rows of a tenant are exported from its node', async (t) => {
    const [tenant] = tenants.slice(-1) as [TestTenant];
    const numbers: string[] = [];
    await exportTenantRows(tenant.db, async ({ name, rows }) => {
      for await (const row of rows()) if (name === 'invoices') numbers.push(JSON.parse(row).number);
    });
    t.strictSame(numbers, ['INV-1']);
  });

  await t.test('a deleted tenant is removed from every node', async (t) => {
    const [leaving, staying] = tenants.slice(-2) as [TestTenant, TestTenant];
    const distributed = await run(
      box.databaseUrl,
      "select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' order by 1",
    );
    const rowsOf = async ({ id }: TestTenant) => {
      const counts = distributed.map(({ name }) => `(select count(*) from ${name} where tenant_id = '${id}')`);
      return Number((await run(box.databaseUrl, `select ${counts.join(' + ')} as n`))[0]?.n);
    };
    t.ok((await rowsOf(leaving)) > 20);
    t.equal((await box.operator.delete(`/admin/tenants/${leaving.id}`)).status, 200);
    await run(box.databaseUrl, `update tenants set deletion_at = now() where id = '${leaving.id}'`);
    // A run ends after ten seconds, and the next one continues.
    await until(
      async () => {
        await removeDeleted.run(leaving.db);
        return rowsOf(leaving);
      },
      (rows) => rows === 0,
    );
    t.ok((await rowsOf(staying)) > 20);
    t.equal((await box.operator.get(`/admin/tenants/${leaving.id}`)).status, 404);
    for (const worker of cluster.workers) {
      t.strictSame(await run(worker.url(database), `select 1 from tenants where id = '${leaving.id}'`), []);
    }
  });
});

t.test('a database that became Citus later, and a migration that fails', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'citus-migrations-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'migrations'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const { url, drop } = await createTestDatabase('empty');
  const database = openDatabase({ url });
  t.teardown(async () => {
    await database.close();
    await drop();
  });
  const { box, knex } = database;
  await box.query('create table tenants (id uuid primary key)');
  await box.query(`create table notes (tenant_id uuid not null references tenants (id), id uuid, parent uuid, place bigserial,
    primary key (tenant_id, id), foreign key (tenant_id, parent) references notes (tenant_id, id) on delete set null (parent))`);
  const [tenant, note] = [newId(), newId()];
  await box.query('insert into tenants values ($1)', [tenant]);
  await box.query('insert into notes values ($1, $2, null)', [tenant, note]);
  const owner = { fullName: '@test/notes', folder, boxTables: ['tenants'] };
  await migrate(knex, [owner]);
  const of = () => run(url, 'select logicalrelid::text as name, partmethod from pg_dist_partition order by 1');
  t.strictSame(await of(), [
    { name: 'notes', partmethod: 'h' },
    { name: 'tenants', partmethod: 'n' },
  ]);
  t.strictSame(await run(url, 'select id from notes'), [{ id: note }], 'with its existing rows');

  const up = (sql: string) =>
    `export const up = (knex) => knex.raw(${JSON.stringify(sql)});\nexport const down = () => {};\n`;
  const file = (name: string) => join(folder, `migrations/20260101000000_notes_${name}.js`);
  const createTables =
    'create table more (tenant_id uuid primary key references tenants (id)); create table less (tenant_id uuid primary key references more (tenant_id));';
  await writeFile(file('broken'), up(`${createTables} select 1/0`));
  await t.rejects(migrate(knex, [owner]), /division by zero/);
  t.equal((await of()).length, 2, 'a failed migration leaves nothing on any node');
  await rm(file('broken'));
  await writeFile(file('more'), up(createTables));
  await migrate(knex, [owner]);
  t.equal((await of()).length, 4);
  const worker = openDatabase({ url: cluster.workers[0]?.url(nameOf(url)) as string });
  t.teardown(() => worker.close());
  await t.rejects(isCitus(worker.knex), /names a Citus worker/);
});
