/**
 * Goods in memory, in a box with the basic tier and a replica: whatever staff change of products and prices is what the next
 * cart shows, in both, and nobody who changes them waits for another.
 */
import { setTimeout } from 'node:timers/promises';
import { createForSale } from '@carton/cart/testing';
import { type GoodsRows, goodsRows, keepsReferenceData, referenceVersion, type TenantDatabase } from '@carton/runtime';
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { goodsTables, writesOf } from '../../runtime/db/reference-data.ts';
import { startBox } from '../../runtime/start-box.ts';
import { callerOf } from '../../runtime/testing/client.ts';
import { packagesOfTier, sourceRoot, withDependencies } from '../../runtime/testing/packages.ts';
import { unversionedGoods } from '../../runtime/testing/reference-writes.ts';

const box = await createTestBox(t, { tier: 'basic' });
const replica = await startBox({
  databaseUrl: box.databaseUrl,
  tier: 'basic',
  packages: withDependencies(packagesOfTier('basic')),
  packagesFrom: sourceRoot,
  hostingSecret: box.secrets.hosting,
  host: '127.0.0.1',
  port: 0,
});
t.teardown(() => replica.stop());

const { staff } = box;
const { variantId, productId } = await createForSale(box, 1000);
const shopper = box.shopper();
await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
const shoppers = [shopper, callerOf(replica.url, shopper.headers)];

const setPrices = (...prices: { currency: string; amount: number }[]) =>
  bodyOf(staff.put(`/admin/variants/${variantId}/prices`, { prices }));

/** The title, which is that of before while the line cannot be ordered, the subtotal and the issues of the line, as both boxes show them. */
const lines = () =>
  Promise.all(
    shoppers.map(async (each) => {
      const { items, totals } = await bodyOf(each.get('/cart'));
      return [items[0].title, totals.subtotal.amount, items[0].issues.join()];
    }),
  );

interface Version {
  goods: string;
}

const versionOf = async (db: TenantDatabase): Promise<string> => {
  const [row] = await db.query<Version>(`select split_part(${referenceVersion}, ' ', 2) as goods`);
  return (row as Version).goods;
};

/** The titles of products, once with the version known and the rows kept. */
const titles: GoodsRows<{ id: string; title: string }> = goodsRows({
  text: 'select id, title from products where tenant_id = $1 and id = any($2::uuid[])',
  id: 'id',
});
const readTitles = (db: TenantDatabase, ids: readonly string[]) =>
  db.pipelined(async (one) => {
    const [row] = await one.query<{ version: string }>(`select ${referenceVersion} as version`);
    one.knowReferenceVersion(row?.version ?? null);
    return one.readGoods(titles, ids);
  });

t.test('the tables of the goods', async (t) => {
  t.strictSame(goodsTables(), ['product_variants', 'products', 'variant_prices']);
});

t.test('each change is in the next cart, in every box', async (t) => {
  const product = await bodyOf(staff.get(`/admin/products/${productId}`));
  const { title } = product;
  const patch = (fields: object) => bodyOf(staff.patch(`/admin/products/${productId}`, fields));
  const changes: [name: string, change: () => Promise<unknown>, expected: [string, number, string]][] = [
    ['nothing', async () => {}, [title, 1000, '']],
    ['a price', () => setPrices({ currency: 'EUR', amount: 1500 }), [title, 1500, '']],
    ['no price in the currency', () => setPrices({ currency: 'USD', amount: 1 }), [title, 0, 'unpriced']],
    ['a price again', () => setPrices({ currency: 'EUR', amount: 900 }), [title, 900, '']],
    ['a title', () => patch({ title: 'Renamed' }), ['Renamed', 900, '']],
    ['a draft', () => patch({ status: 'draft' }), [title, 0, 'unavailable']],
    ['published', () => patch({ status: 'published' }), ['Renamed', 900, '']],
    ['a quantity', () => patch({ minQuantity: 2 }), ['Renamed', 900, 'quantity_limit']],
    ['any quantity', () => patch({ minQuantity: 1 }), ['Renamed', 900, '']],
    ['deleted', () => bodyOf(staff.delete(`/admin/products/${productId}`)), [title, 0, 'unavailable']],
  ];
  for (const [name, change, expected] of changes) {
    await change();
    // The second time from memory.
    t.strictSame([await lines(), await lines()].flat(), [expected, expected, expected, expected], name);
  }
});

t.test('a price never lags behind a change that has been answered', async (t) => {
  const article = await createForSale(box, 1);
  const buyer = box.shopper();
  await bodyOf(buyer.post('/cart/items', { variantId: article.variantId, quantity: 1 }));
  const buyers = [buyer, callerOf(replica.url, buyer.headers)];
  let isOver = false;
  const readers = buyers.map(async (each) => {
    while (!isOver) await bodyOf(each.get('/cart'));
  });
  for (let amount = 2; amount <= 40; amount++) {
    const prices = [{ currency: 'EUR', amount }];
    await bodyOf(staff.put(`/admin/variants/${article.variantId}/prices`, { prices }));
    const carts = await Promise.all(
      buyers.map(async (each) => (await bodyOf(each.get('/cart'))).totals.subtotal.amount),
    );
    t.strictSame(carts, [amount, amount]);
  }
  isOver = true;
  await Promise.all(readers);
});

t.test('a schedule takes effect at its time, without a write', async (t) => {
  const article = await createForSale(box, 700);
  const buyer = box.shopper();
  await bodyOf(buyer.post('/cart/items', { variantId: article.variantId, quantity: 1 }));
  const issues = async () => (await bodyOf(buyer.get('/cart'))).items[0].issues;
  t.strictSame(await issues(), []);
  const publishAt = new Date(Date.now() + 1500).toISOString();
  await bodyOf(staff.patch(`/admin/products/${article.productId}`, { publishAt }));
  t.strictSame(await issues(), ['unavailable']);
  // A row that was kept would hide it for a minute.
  for (let tries = 0; tries < 200 && (await issues()).length > 0; tries++) await setTimeout(100);
  t.strictSame(await issues(), []);
});

t.test('rows are shared at one version, by one tenant, and cannot be changed', async (t) => {
  const { productId: id } = await createForSale(box, 1);
  const other = await box.openTenant();
  const missing = '00000000-0000-4000-8000-000000000000';
  const [first] = await readTitles(box.db, [id, missing]);
  const [second] = await readTitles(box.db, [missing, id]);
  t.equal(second, first);
  t.throws(() => Object.assign(first as object, { title: 'Mine' }), TypeError);
  t.strictSame(await readTitles(other.db, [id]), []);
  await bodyOf(other.staff.post('/admin/products', { title: 'Theirs' }));
  t.equal((await readTitles(box.db, [id]))[0], first, 'what another tenant writes replaces nothing');
  await bodyOf(staff.patch(`/admin/products/${id}`, { title: 'Changed' }));
  t.strictSame(await readTitles(box.db, [id]), [{ id, title: 'Changed' }]);
});

t.test('a transaction reads what it has written, and others once it is committed', async (t) => {
  const { productId: id } = await createForSale(box, 1);
  const [before] = await readTitles(box.db, [id]);
  const version = await versionOf(box.db);
  const write = async (tx: TenantDatabase) => {
    const [row] = await tx.query<{ version: string }>(`select ${referenceVersion} as version`);
    tx.knowReferenceVersion(row?.version ?? null);
    t.equal((await tx.readGoods(titles, [id]))[0], before);
    await tx.update('products', { id }, { title: 'Written' });
    t.strictSame(await tx.readGoods(titles, [id]), [{ id, title: 'Written' }]);
    t.equal((await readTitles(box.db, [id]))[0], before);
  };
  const failing = box.db.transaction(async (tx) => {
    await write(tx);
    throw new Error('rolled back');
  });
  await t.rejects(failing, { message: 'rolled back' });
  t.equal(await versionOf(box.db), version);
  await box.db.transaction(write);
  t.strictSame(await readTitles(box.db, [id]), [{ id, title: 'Written' }]);
});

t.test('conditional changes of many products at once do not undo each other', async (t) => {
  const products = await Promise.all(Array.from({ length: 12 }, () => createForSale(box, 1)));
  const paths = products.map((product) => `/admin/products/${product.productId}`);
  const statuses = await Promise.all(
    paths.map(async (path, number) => {
      const found: number[] = [];
      for (let round = 0; round < 5; round++) {
        const { headers } = await staff.get(path);
        const options = { headers: { 'if-match': headers.get('etag') as string } };
        const { status } = await staff.patch(path, { title: `${number} ${round}` }, options);
        found.push(status);
      }
      return found;
    }),
  );
  t.strictSame(statuses, products.map(() => [200, 200, 200, 200, 200])); // biome-ignore format: short
});

t.test('shoppers replace no version', async (t) => {
  const article = await createForSale(box, 5);
  const before = await versionOf(box.db);
  const buyer = box.shopper();
  await bodyOf(buyer.post('/cart/items', { variantId: article.variantId, quantity: 1 }));
  await bodyOf(buyer.put('/cart/items', { items: [{ variantId: article.variantId, quantity: 2 }] }));
  await bodyOf(buyer.post('/checkout', { customer: { email: 'ada@example.com' } }));
  t.equal(await versionOf(box.db), before);
});

t.test('a test box finds a statement that keeps the version and writes goods', async (t) => {
  const text = keepsReferenceData("update products set title = 'Unseen' where tenant_id = $1 and false is not true");
  t.strictSame(writesOf(text), { reference: false, goods: false });
  await box.db.query(text);
  t.strictSame(await unversionedGoods(box.owner), ['products']);
  await box.db.query("update products set title = 'Seen' where tenant_id = $1 and false");
  t.strictSame(await unversionedGoods(box.owner), []);
});
