/**
 * Indexes of languages and versions of collations, where tables are distributed by Citus.
 */
import { createTestBox, keepIndexes, administerAt as run, type TestTenant, until } from '@carton/runtime/testing';
import t from 'tap';
import { type Cluster, missingCitus } from '../cluster.ts';
import { startTestCluster } from './test-cluster.ts';

const skip = missingCitus();
let cluster: Cluster;
if (!skip) cluster = await startTestCluster(t);

async function titlesOf(tenant: TestTenant): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await tenant.visitor().get(`/products?sort=title&limit=1${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.items.map(({ title }: { title: string }) => title));
    cursor = body.nextCursor;
  }
  return seen;
}

t.test('the index of a language is on all nodes, and is rebuilt on all', { skip }, async (t) => {
  const box = await createTestBox(t);
  const tenants: TestTenant[] = [box, ...(await Promise.all([1, 2, 3, 4, 5].map(() => box.openTenant())))];
  for (const tenant of tenants) {
    await tenant.staff.patch('/admin/store', { defaultLocale: 'sv' });
    for (const title of ['Ål', 'Zebra', 'Apa']) {
      const product = { title, status: 'published', variants: [{ sku: title }] };
      t.match(await tenant.staff.post('/admin/products', product), { status: 201 });
    }
  }
  t.strictSame(await titlesOf(box), ['Ål', 'Apa', 'Zebra']);
  t.strictSame(await keepIndexes(box), ['creating the index of a language', 'created the index of a language']);
  for (const tenant of tenants) {
    const found = await until(
      () => titlesOf(tenant),
      (titles) => titles[0] === 'Apa',
    );
    t.strictSame(found, ['Apa', 'Zebra', 'Ål']);
  }

  const database = box.databaseUrl.split('/').at(-1) as string;
  const files = async () => {
    const all = await Promise.all(
      cluster.workers.map((worker) =>
        run(
          worker.url(database),
          'set citus.override_table_visibility = off',
          `select relname as name, pg_relation_filenode(oid) as file from pg_class
            where relname ~ '^products_title_sv_[0-9]+$' order by 1`,
        ),
      ),
    );
    return all.flat();
  };
  const before = await files();
  t.equal(before.length, 4, 'each shard has the index');
  await run(box.databaseUrl, "comment on index products_title_sv is 'Collations: sv-x-icu 1.0'");
  t.strictSame((await keepIndexes(box)).length, 2);
  const after = await files();
  t.strictSame(
    after.map(({ name }) => name),
    before.map(({ name }) => name),
  );
  t.ok(before.every(({ file }, at) => file !== after[at]?.file));
  t.strictSame(await keepIndexes(box), []);
});
