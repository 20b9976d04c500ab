/**
 * Row-level security on the tables of all packages: every table has its policies, and a statement without a condition
 * on the tenant sees one tenant's rows.
 */
import t from 'tap';
import { connect } from '../db/connection.ts';
import { tablesWithoutPolicy } from '../db/row-security.ts';
import { createTestBox } from '../testing/box.ts';

t.test('two tenants in one box', async (t) => {
  const box = await createTestBox(t);
  const other = await box.openTenant();
  for (const tenant of [box, other]) {
    const product = { title: 'Shirt', handle: 'shirt', status: 'published', variants: [{ sku: 'shirt' }] };
    t.match(await tenant.staff.post('/admin/products', product), { status: 201 });
  }
  const knex = connect({ url: box.databaseUrl });
  t.teardown(() => knex.destroy());
  t.strictSame(await tablesWithoutPolicy(knex), []);

  const tables = await box.owner.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind = 'r' and relnamespace = 'public'::regnamespace and attname = 'tenant_id' order by 1`,
  );
  let filled = 0;
  for (const { name } of tables) {
    const seen = await box.db.query<{ tenantId: string }>(`select tenant_id from ${name} where $1::uuid is not null`);
    const own = await box.owner.query(`select from ${name} where tenant_id = $1`, [box.id]);
    t.ok(
      seen.every(({ tenantId }) => tenantId === box.id),
      `${name}: nothing of another tenant`,
    );
    t.equal(seen.length, own.length, `${name}: all of this one`);
    const others = await box.owner.query(`select from ${name} where tenant_id = $1`, [other.id]);
    if (others.length > 0) filled += 1;
  }
  t.ok(filled >= 8, `${filled} of ${tables.length} tables have rows of the other tenant`);
  t.strictSame(await box.box.database.box.query('select * from products'), [], 'the box itself sees none');
});
