/**
 * Lists by category in a store with 100,000 products read what a page needs, as the box's role. Counts rows and pages and
 * measures no time.
 */
import { createTestBox } from '@carton/runtime/testing';
import { readingsOf, StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { createCategory, packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const recorder = new StatementRecorder(box.box.database);
const products = 100_000;

// All products are below `all`, in 1,000 categories of 100: ten below it, ten below each, ten below each of these.
const all = await createCategory(box, 'All');
const id = (sql: string) => `md5('category ' || ${sql})::uuid`;
for (const [level, parent] of [
  [1, `'${all.id}'`],
  [2, id(`1 || '.' || (number - 1) / 10`)],
  [3, id(`2 || '.' || (number - 1) / 10`)],
] as const) {
  await box.owner.query(
    `insert into categories (tenant_id, id, parent_id, parent_path, position, handle, name)
     select $1, ${id(`${level} || '.' || number - 1`)}, parent.id, parent.path, (number - 1) % 10,
            'c-${level}-' || number, 'Category'
       from generate_series(1, ${10 ** level}) as number
       join categories parent on parent.tenant_id = $1 and parent.id = ${parent} order by number`,
    [box.id],
  );
}
await box.owner.query(
  `insert into products (tenant_id, id, handle, title, status, created_at)
   select $1, md5('product ' || number)::uuid, 'p-' || number, 'Product ' || 1000000 + number, 'published',
          timestamptz '2026-01-01' + number * interval '1 second'
     from generate_series(1, $2::int) as number`,
  [box.id, products],
);
// Products of one category were created and are named one after the other, as an import makes them.
const assign = (category: string, condition: string) =>
  box.owner.query(
    `insert into category_products (tenant_id, category_id, product_id, position, product_created_at)
     select tenant_id, ${category}, id, 0, created_at
       from (select products.*, substr(handle, 3)::int as number from products where tenant_id = $1) product
      where ${condition}`,
    [box.id],
  );
await assign(id(`3 || '.' || (number - 1) / 100`), 'true');
const rare = await createCategory(box, 'Rare');
await assign(`'${rare.id}'`, 'number <= 40 or number % 20000 = 0');
await box.owner.query('vacuum analyze');

/** The most rows that a statement of the request reads, and the pages of all of them. */
async function readBy(path: string) {
  let body: { items: unknown[]; nextCursor: string | null } = { items: [], nextCursor: null };
  const sent = await recorder.record(async () => {
    ({ body } = await box.visitor().get(path));
  });
  const readings = await readingsOf(box.box.database, box.id, sent);
  const rows = Math.max(...readings.map((reading) => reading.rows));
  const pages = readings.reduce((sum, reading) => sum + reading.pages, 0);
  return { items: body.items.length, cursor: body.nextCursor, rows, pages };
}

// Where lists are merged, each contributes as many rows as a page has; where they are sorted, all of their rows.
for (const [category, sort, maxRows, maxPages] of [
  ['c-1-1', 'newest', 5000, 20_000],
  ['c-2-1', 'newest', 1000, 2000],
  ['c-2-100', 'oldest', 1000, 2000],
  ['c-2-100', 'title', 3000, 5000],
  ['c-3-1', 'newest', 200, 500],
  ['rare', 'newest', 200, 500],
  ['rare', 'title', 200, 500],
  ['all', 'newest', 2000, 2000],
  ['all', 'title', 6000, 2000],
] as const) {
  t.test(`${category} by ${sort}`, async (t) => {
    let place = '';
    for (const page of ['first', 'second']) {
      const { items, cursor, rows, pages } = await readBy(`/products?category=${category}&sort=${sort}${place}`);
      t.equal(items, 20);
      t.ok(rows <= maxRows && pages <= maxPages, `${page} page: ${rows} rows, ${pages} pages`);
      place = `&cursor=${cursor}`;
    }
  });
}
