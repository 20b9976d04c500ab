/**
 * The words of products besides those of titles as they are written.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { fillWords } from '../search/job.ts';
import { termsOf } from '../search/words.ts';
import { packages, publishProduct } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('punctuation around a word is left out, however much there is', async (t) => {
  const bare = (q: string) => termsOf(q).map(({ forms }) => forms[0]);
  t.strictSame(bare('"Linen" (blue), )) !) C++. «ok»!?'), ['Linen', 'blue', ')', '!', 'C++', 'ok']);
  const inside = `x${')'.repeat(1_000_000)}y`;
  t.strictSame(bare(inside), [inside]);
});

t.test('control characters are not searched for: they mark SKUs', async (t) => {
  const tenant = await box.openTenant();
  const { id } = await publishProduct(tenant, { title: 'Linen', variants: [{ sku: 'SHIRT-1' }] });
  const other = await publishProduct(tenant, { title: 'Shirt', variants: [{ sku: 'OTHER-1' }] });
  t.strictSame(await idsFor(tenant, '\u0001'), [other.id, id], 'as without a text');
  t.strictSame(await idsFor(tenant, '\u0001shirt'), [other.id, id], 'not only of SKUs');
  t.strictSame(await idsFor(tenant, '\u0001linen\u007f'), [id]);
  t.strictSame(await idsFor(tenant, 'linen\tshirt'), [id]);
  const nul = await tenant.visitor().get('/products?q=a%00');
  const errors = [{ in: 'query', pointer: '/q', detail: 'must not contain the character U+0000' }];
  t.match(nul, { status: 400, body: { code: 'invalid_request', errors } });
});

const idsFor = async (tenant: TestTenant, q: string): Promise<string[]> =>
  (await tenant.visitor().get(`/products?q=${encodeURIComponent(q)}`)).body.items.map(({ id }: { id: string }) => id);

/** What a box of an earlier release leaves when it writes a product: the words of its title as it is written. */
async function writeAsBefore({ db }: TestTenant, id: string, title: string, sku: string): Promise<void> {
  await db.query('update products set title = $3, updated_at = now() where tenant_id = $1 and id = $2', [id, title]);
  await db.query('update product_variants set sku = $3 where tenant_id = $1 and product_id = $2', [id, sku]);
  await db.query('delete from product_title_words where tenant_id = $1 and product_id = $2', [id]);
  await db.query(
    `insert into product_title_words (tenant_id, product_id, status, word_from)
     select tenant_id, id, status, left(lower(title), 40) from products where tenant_id = $1 and id = $2`,
    [id],
  );
}

t.test('products that a box of an earlier release writes during an upgrade get their words', async (t) => {
  const tenant = await box.openTenant();
  const { staff, db } = tenant;
  const create = (title: string, sku: string) => publishProduct(tenant, { title, variants: [{ sku }] });
  const one = await create('One', 'ONE-1');
  const other = await create('Other', 'OTHER-1');
  await fillWords(db);
  await writeAsBefore(tenant, one.id, 'Été', 'Mixed-Case');
  t.strictSame(await idsFor(tenant, 'ete'), []);
  await fillWords(db);
  t.strictSame(await idsFor(tenant, 'ete'), [one.id], 'by its title without accents');
  t.strictSame(await idsFor(tenant, 'mixed-case'), [one.id], 'by its SKU');
  t.strictSame(await idsFor(tenant, 'one-1'), [], 'and not by the former one');
  const taken = await staff.post('/admin/products', { title: 'Copy', variants: [{ sku: 'mIXED-cASE' }] });
  t.match(taken, { status: 409, body: { code: 'sku_taken' } });
  // Earlier releases change a variant without its product.
  await db.query("update products set updated_at = now() - interval '1 day' where tenant_id = $1");
  await db.query('update product_variants set sku = $3, updated_at = now() where tenant_id = $1 and product_id = $2', [
    other.id,
    'Later-2',
  ]);
  await fillWords(db);
  t.strictSame(await idsFor(tenant, 'later-2'), [other.id]);
  t.strictSame(await idsFor(tenant, 'other-1'), []);
});

t.test('what has not changed since is not checked again', async (t) => {
  const tenant = await box.openTenant();
  const { id } = await publishProduct(tenant, { title: 'Old', variants: [{ sku: 'OLD-1' }] });
  await fillWords(tenant.db);
  await writeAsBefore(tenant, id, 'Été', 'Mixed');
  for (const table of ['products', 'product_variants']) {
    await tenant.db.query(`update ${table} set updated_at = now() - interval '1 hour' where tenant_id = $1`);
  }
  await fillWords(tenant.db);
  t.strictSame(await idsFor(tenant, 'ete'), []);
  await tenant.db.query('update product_word_progress set parted_to = null where tenant_id = $1');
  await fillWords(tenant.db);
  t.strictSame(await idsFor(tenant, 'ete'), [id], 'unless it never was');
  t.match(await tenant.db.query('select parted_to from product_word_progress where tenant_id = $1'), exactly([{}]));
});

t.test('products are found by a sigma in each of its forms, and by digits of other scripts', async (t) => {
  const tenant = await box.openTenant();
  const cosmos = await publishProduct(tenant, { title: 'Κόσμος', variants: [{ sku: 'C-1' }] });
  const plastic = await publishProduct(tenant, { title: 'Πλαστικό 12', variants: [{ sku: 'P-1' }] });
  for (const q of ['κοσμοσ', 'κοσμος', 'ΚΟΣΜΟΣ', 'Κόσμος']) t.strictSame(await idsFor(tenant, q), [cosmos.id], q);
  for (const q of ['πλας', 'ΠΛΑΣ', 'πλαστ', '١٢']) t.strictSame(await idsFor(tenant, q), [plastic.id], q);
});
