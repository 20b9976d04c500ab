/**
 * Pages of products in long lists that have none of the store's next products in common: complete, and read without reading
 * all products of the longer list.
 */
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import { type Reading, readingsOf, StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const recorder = new StatementRecorder(box.box.database);

/** What the statement reads that returns the page. */
async function readingOf(tenant: TestTenant, path: string): Promise<Reading> {
  const sent = await recorder.record(() => tenant.visitor().get(path));
  const readings = await readingsOf(box.box.database, tenant.id, sent);
  return readings.find(({ text }) => text.includes('sort_key')) as Reading;
}

async function allIds(tenant: TestTenant, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await tenant.visitor().get(`${path}&limit=100${cursor && `&cursor=${cursor}`}`);
    ids.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  return ids;
}

/** The newest 3000 products are of zinc, the others of wool, half of these of one brand; the oldest have tags. */
const products = 30_000;
const untagged = 10_000;
const newest = 3000;
await box.owner.query(
  `insert into products (tenant_id, id, handle, title, brand, status, created_at)
   select $1, md5(number::text)::uuid, 'item-' || number,
          case when number <= $3 then 'Zinc ' else 'Wool ' end || number,
          case when number > $3 and number % 2 = 0 then 'Alder' else 'Brand ' || number % 400 end, 'published',
          now() - number * interval '1 second'
     from generate_series(1, $2::int) as number`,
  [box.id, products, newest],
);
await box.owner.query(
  `insert into product_title_words (tenant_id, product_id, status, word_from)
   select tenant_id, id, status, title_key from products where tenant_id = $1
   union all
   select tenant_id, id, status, split_part(title_key, ' ', 2) from products where tenant_id = $1`,
  [box.id],
);
const tagged: Record<string, number> = { some: 40, many: 3 };
for (const [tag, every] of Object.entries(tagged)) {
  await box.owner.query(
    `insert into product_tags (tenant_id, product_id, tag_key, product_created_at)
     select tenant_id, id, $2, created_at from products
      where tenant_id = $1 and split_part(title, ' ', 2)::int % $3 = 0 and split_part(title, ' ', 2)::int > $4`,
    [box.id, tag, every, untagged],
  );
}
await box.owner.query('analyze');

/** The products with a tag that meet a condition, newest first. */
async function expected(tag: string, condition = 'true'): Promise<string[]> {
  const rows = await box.owner.query<{ id: string }>(
    `select id from products join product_tags on product_tags.tenant_id = products.tenant_id and product_id = id
      where products.tenant_id = $1 and tag_key = $2 and ${condition} order by created_at desc, id desc`,
    [box.id, tag],
  );
  return rows.map(({ id }) => id);
}

t.test('a search for a frequent word in a list of some hundred products reads these', async (t) => {
  const { pages } = await readingOf(box, '/products?q=wool&tag=some&limit=20');
  t.ok(pages < 8000, `${pages} pages`);
  t.strictSame(await allIds(box, '/products?fields=id&q=wool&tag=some'), await expected('some'));
  t.strictSame(await allIds(box, '/products?fields=id&q=zinc&tag=some'), []);
});

t.test('words that are rarer than the list are read instead', async (t) => {
  const { pages } = await readingOf(box, '/products?q=wool+23&tag=many&limit=20');
  t.ok(pages < 8000, `${pages} pages`);
  t.strictSame(
    await allIds(box, '/products?fields=id&q=wool+23&tag=many'),
    await expected('many', `title like 'Wool 23%'`),
  );
});

t.test('a page of a long list with a brand of many products looks only its own products up', async (t) => {
  const { pages, rows, scan } = await readingOf(box, '/products?brand=Alder&tag=many&limit=20');
  t.ok(pages < 2000, `${rows} rows, ${pages} pages: ${scan}`);
  t.strictSame(
    await allIds(box, '/products?fields=id&brand=Alder&tag=many'),
    await expected('many', `brand = 'Alder'`),
  );
});
