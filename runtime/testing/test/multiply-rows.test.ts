/**
 * The copies of rows that fill a large tenant: as mixed as they would be if all rows had been created at once, however
 * long it took to create them.
 */
import t from 'tap';
import { createTestBox } from '../box.ts';
import { multiplyRows } from '../plans/multiply-rows.ts';
import { readingsOf, StatementRecorder } from '../plans/statements.ts';

const copies = 1200;

t.test('products that were created long after each other are copied in turn', async (t) => {
  const box = await createTestBox(t, {
    packages: ['auth', 'tenant', 'media', 'product'].map((name) => `@carton/${name}`),
  });
  for (const title of ['Linen shirt', 'Wool coat']) {
    t.match(await box.staff.post('/admin/products', { title, status: 'published' }), { status: 201 });
  }
  await box.owner.query(
    "update products set created_at = created_at - interval '1 minute' where title = 'Linen shirt'",
  );
  await box.owner.query("update tenants set created_at = created_at - interval '2 minutes' where id = $1", [box.id]);
  await multiplyRows(box.databaseUrl, box.id, copies);

  const newest = await box.owner.query<{ title: string }>(
    'select title from products where tenant_id = $1 order by created_at desc, id desc limit 200',
    [box.id],
  );
  const shirts = newest.filter(({ title }) => title.includes('Linen')).length;
  t.ok(shirts > 20 && shirts < 180, `${shirts} of the newest 200 are shirts`);

  const recorder = new StatementRecorder(box.box.database);
  const sent = await recorder.record(async () => {
    t.match(await box.visitor().get('/products?q=linen&limit=20'), { status: 200, body: { items: { length: 20 } } });
  });
  const readings = await readingsOf(box.box.database, box.id, sent);
  t.ok(readings.length > 0);
  t.strictSame(
    readings.filter(({ rows }) => rows > 1000),
    [],
    'the page reads no more rows than a page may',
  );
});
