/**
 * Title search: text is found at the beginning of words in the titles of the tenant's undeleted products.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { fillWords } from '../search/job.ts';
import { packages, publishProduct } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

const opened: TestTenant[] = [];

async function openTenant(): Promise<TestTenant> {
  const tenant = await box.openTenant();
  opened.push(tenant);
  return tenant;
}

/** The titles that shoppers find with a text, sorted by title. */
async function find(tenant: TestTenant, q: string): Promise<string[]> {
  const { status, body } = await tenant.visitor().get(`/products?sort=title&limit=100&q=${encodeURIComponent(q)}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.items.map(({ title }: { title: string }) => title);
}

/** The same for staff, newest first. */
async function findAsStaff(tenant: TestTenant, q: string, more = ''): Promise<string[]> {
  const { status, body } = await tenant.staff.get(`/admin/products?limit=100&q=${encodeURIComponent(q)}${more}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.items.map(({ title }: { title: string }) => title);
}

const long = `${'ab '.repeat(60)}end`;
const treble = '𝄞'.repeat(120);

t.test('text is found at the beginning of a word', async (t) => {
  const tenant = await openTenant();
  const titles = [
    'Linen shirt blue',
    'Größe ÄÖÜ',
    'Straße',
    "O'Neill T-Shirt",
    '100% wool_blend, C:\\temp "quoted"',
    'C++ für Einsteiger',
    '東京タワーの本',
    '한국어 책',
    'กระเป๋าผ้า',
    'Gift 🎁 box',
    '𝄞 music',
    'Café crème',
    'שלום־עולם',
    'two\u00a0parts',
    treble,
    long,
    '\u{10ffff}edge\u{10ffff}',
  ];
  for (const title of titles) await publishProduct(tenant, { title });
  const cases: [q: string, title: string][] = [
    ['linen', titles[0] as string],
    ['LINEN SHIRT BLUE', titles[0] as string],
    ['shirt bl', titles[0] as string],
    ['  shirt b', titles[0] as string],
    ['größe', titles[1] as string],
    ['GRÖß', titles[1] as string],
    ['äö', titles[1] as string],
    ['STRAß', titles[2] as string],
    ['neill', titles[3] as string],
    ["'neill", titles[3] as string],
    ["o'n", titles[3] as string],
    ['t-s', titles[3] as string],
    ['-shirt', titles[3] as string],
    ['%', titles[4] as string],
    ['100% wool', titles[4] as string],
    ['_', titles[4] as string],
    ['blend', titles[4] as string],
    ['\\', titles[4] as string],
    ['c:\\temp', titles[4] as string],
    ['"quoted"', titles[4] as string],
    ['c++', titles[5] as string],
    ['+ für', titles[5] as string],
    ['京', titles[6] as string],
    ['タワー', titles[6] as string],
    ['本', titles[6] as string],
    ['국어', titles[7] as string],
    ['ผ้า', titles[8] as string],
    ['🎁', titles[9] as string],
    ['🎁 b', titles[9] as string],
    ['𝄞 m', titles[10] as string],
    ['cre\u0300', titles[11] as string],
    ['עולם', titles[12] as string],
    ['parts', titles[13] as string],
    [treble, treble],
    [long, long],
    ['end', long],
    [`${'ab '.repeat(20)}ab`, long],
    ['\u{10ffff}', titles[16] as string],
    ['edge', titles[16] as string],
    ['edge\u{10ffff}', titles[16] as string],
  ];
  for (const [q, title] of cases) {
    t.strictSame(await find(tenant, q), [title], `${q} finds it`);
    t.strictSame(await findAsStaff(tenant, q), [title], `${q} finds it for staff`);
  }
  t.strictSame(await find(tenant, 'shirt'), ['Linen shirt blue', "O'Neill T-Shirt"]);
  for (const q of ['hirt', 'inen', 'rt bl', 'linen red', 'strase', '%w', 'afe', '\u0301', `${long}s`, `${treble}𝄞`]) {
    t.strictSame(await find(tenant, q), [], `${q} finds nothing`);
    t.strictSame(await findAsStaff(tenant, q), [], `${q} finds nothing for staff`);
  }
  t.equal((await find(tenant, ' ')).length, titles.length, 'a space alone filters nothing');
  t.equal((await findAsStaff(tenant, ' ')).length, titles.length);
});

t.test('all words are found, without regard to accents, apostrophes and width', async (t) => {
  const tenant = await openTenant();
  const titles = [
    'Linen shirt blue',
    'Crème brûlée',
    "O'Neill T-Shirt",
    'L’Été à la plage',
    'Straße & Łódź',
    'Smørrebrød',
    'Ёлка зелёная',
    'Καφές Ελληνικός',
    'مُنتَج أَحْمَر',
    'ガラスのコップ',
    'ｶﾒﾗ',
    'हिन्दी किताब',
  ];
  for (const title of titles) await publishProduct(tenant, { title });
  const cases: [q: string, title: string][] = [
    ['blue linen', 'Linen shirt blue'],
    ['shirt  li', 'Linen shirt blue'],
    ['"linen", blue!', 'Linen shirt blue'],
    ['creme', 'Crème brûlée'],
    ['BRULEE cre', 'Crème brûlée'],
    ['crème', 'Crème brûlée'],
    ['cre\u0300me', 'Crème brûlée'],
    ['crême', 'Crème brûlée'],
    ['oneill', "O'Neill T-Shirt"],
    ['o’neill', "O'Neill T-Shirt"],
    ['neill t-sh', "O'Neill T-Shirt"],
    ['ete', 'L’Été à la plage'],
    ['plage lete', 'L’Été à la plage'],
    ['strasse', 'Straße & Łódź'],
    ['lodz STRASSE', 'Straße & Łódź'],
    ['smorrebrod', 'Smørrebrød'],
    ['елка', 'Ёлка зелёная'],
    ['зеленая ёлка', 'Ёлка зелёная'],
    ['καφες ελληνικός', 'Καφές Ελληνικός'],
    ['منتج احمر', 'مُنتَج أَحْمَر'],
    ['ｶﾞﾗｽ', 'ガラスのコップ'],
    ['コップ ガラス', 'ガラスのコップ'],
    ['カメラ', 'ｶﾒﾗ'],
    ['हिन्दी', 'हिन्दी किताब'],
  ];
  for (const [q, title] of cases) {
    t.strictSame(await find(tenant, q), [title], `${q} finds it`);
    t.strictSame(await findAsStaff(tenant, q), [title], `${q} finds it for staff`);
  }
  for (const q of ['blue linen red', 'カラス', 'creme o', 'strase', 'हन्द']) t.strictSame(await find(tenant, q), [], q);
});

t.test('products are found by their SKUs', async (t) => {
  const tenant = await openTenant();
  const long = `${'X'.repeat(45)}-1`;
  const option = { name: 'Size', values: ['S', 'M'] };
  const variants = [
    { sku: 'LIN-S 01', options: [{ name: 'Size', value: 'S' }] },
    { sku: 'ÄRMEL/2', options: [{ name: 'Size', value: 'M' }] },
  ];
  const { id } = await publishProduct(tenant, { title: 'Shirt', options: [option], variants });
  await publishProduct(tenant, { title: 'Lint brush', variants: [{ sku: long }] });
  for (const q of ['lin-s', 'LIN-S 01', 'ärmel/2', 'shirt lin-s', 'ＬＩＮ－Ｓ']) {
    t.strictSame([await find(tenant, q), await findAsStaff(tenant, q)], [['Shirt'], ['Shirt']], q);
  }
  t.strictSame(await find(tenant, long.toLowerCase()), ['Lint brush']);
  for (const q of ['lin-s brush', 's 02', `${long}2`]) t.strictSame(await find(tenant, q), [], q);
  const { body } = await tenant.staff.get(`/admin/variants?productId=${id}`);
  const variant = body.items.find(({ sku }: { sku: string }) => sku === 'LIN-S 01');
  await tenant.staff.patch(`/admin/variants/${variant.id}`, { sku: 'NEW-1' });
  t.strictSame([await find(tenant, 'lin-s'), await find(tenant, 'new-1')], [[], ['Shirt']]);
  await tenant.staff.delete(`/admin/variants/${variant.id}`);
  t.strictSame([await find(tenant, 'new-1'), await find(tenant, 'ärmel')], [[], ['Shirt']]);
  const added = await tenant.staff.post(`/admin/products/${id}/variants`, { ...variants[0], sku: 'ADD-1' });
  t.equal(added.status, 201);
  t.strictSame(await find(tenant, 'add-1'), ['Shirt']);
});

t.test('a SKU is found by each of its parts', async (t) => {
  const tenant = await openTenant();
  await publishProduct(tenant, { title: 'Lamp', variants: [{ sku: 'AB-1234-X' }] });
  await publishProduct(tenant, { title: 'Cup', variants: [{ sku: 'CD/99.1234Y' }] });
  for (const q of ['1234-x', '1234-X lamp', 'ab 1234 x', 'ab-12', 'x'])
    t.strictSame(await find(tenant, q), ['Lamp'], q);
  t.strictSame(new Set(await find(tenant, '1234')), new Set(['Lamp', 'Cup']));
  for (const q of ['99', '1234y']) t.strictSame(await find(tenant, q), ['Cup'], q);
  for (const q of ['234', 'b-1234', '34-x', '1234-y']) t.strictSame(await find(tenant, q), [], q);
  const part = { title: 'Part', status: 'published', variants: [{ sku: '1234-X' }] };
  t.equal((await tenant.staff.post('/admin/products', part)).status, 201, 'a part is another SKU');
});

t.test('a product is found by its current title', async (t) => {
  const tenant = await openTenant();
  const { id } = await publishProduct(tenant, { title: 'Amber lamp' });
  const path = `/admin/products/${id}`;
  t.equal((await tenant.staff.patch(path, { title: 'Copper kettle' })).status, 200);
  t.strictSame(await find(tenant, 'kettle'), ['Copper kettle']);
  t.strictSame(await find(tenant, 'copper'), ['Copper kettle']);
  t.strictSame(await findAsStaff(tenant, 'kettle'), ['Copper kettle']);
  for (const q of ['amber', 'lamp']) t.strictSame([await find(tenant, q), await findAsStaff(tenant, q)], [[], []]);
  t.strictSame(await wordsOf(id), ['copper kettle', 'kettle'], 'no word of the old title is left');
  t.equal((await tenant.staff.patch(path, { description: 'Holds a litre' })).status, 200);
  t.strictSame(await find(tenant, 'kettle'), ['Copper kettle']);
  const copy = (await tenant.staff.post(`${path}/duplicate`)).body;
  t.strictSame(await findAsStaff(tenant, 'kettle'), ['Copper kettle (copy)', 'Copper kettle']);
  t.strictSame(await wordsOf(copy.id), ['(copy)', ')', 'copper kettle (copy)', 'copy)', 'kettle (copy)']);
});

t.test('shoppers find published products, staff those with the requested status', async (t) => {
  const tenant = await openTenant();
  const { id } = await publishProduct(tenant, { title: 'Velvet chair', status: 'draft' });
  const path = `/admin/products/${id}`;
  for (const status of ['draft', 'archived', 'published', 'draft']) {
    t.equal((await tenant.staff.patch(path, { status })).status, 200);
    t.strictSame(await find(tenant, 'velvet'), status === 'published' ? ['Velvet chair'] : [], status);
    t.strictSame(await findAsStaff(tenant, 'chair'), ['Velvet chair'], status);
    for (const requested of ['draft', 'published', 'archived']) {
      const found = await findAsStaff(tenant, 'chair', `&status=${requested}`);
      t.strictSame(found, requested === status ? ['Velvet chair'] : [], `${requested} of ${status}`);
    }
  }
});

t.test('a deleted product is not found, and has no words', async (t) => {
  const tenant = await openTenant();
  const [undeleted, deleted] = [
    await publishProduct(tenant, { title: 'Oak table' }),
    await publishProduct(tenant, { title: 'Oak bench' }),
  ];
  t.equal((await tenant.staff.delete(`/admin/products/${deleted.id}`)).status, 204);
  t.strictSame([await find(tenant, 'oak'), await findAsStaff(tenant, 'oak')], [['Oak table'], ['Oak table']]);
  t.strictSame(await wordsOf(deleted.id), []);
  t.strictSame(await wordsOf(undeleted.id), ['oak table', 'table']);
});

t.test("another tenant's products are not found", async (t) => {
  const [tenant, other] = [await openTenant(), await openTenant()];
  const theirs = await publishProduct(other, { title: 'Marble vase' });
  t.strictSame([await find(tenant, 'marble'), await findAsStaff(tenant, 'marble')], [[], []]);
  const own = await publishProduct(tenant, { title: 'Marble bowl' });
  t.strictSame([await find(tenant, 'marble'), await findAsStaff(tenant, 'vase')], [['Marble bowl'], []]);
  t.strictSame(await find(other, 'marble'), ['Marble vase']);
  const rows = await box.owner.query<{ tenant: string; product: string }>(
    `select tenant_id as tenant, product_id as product from product_title_words
      where product_id in ('${theirs.id}', '${own.id}') group by 1, 2`,
  );
  const expected = [
    { tenant: tenant.id, product: own.id },
    { tenant: other.id, product: theirs.id },
  ];
  const sorted = (rows: { product: string }[]) => [...rows].sort((a, b) => (a.product < b.product ? -1 : 1));
  t.strictSame(sorted(rows), sorted(expected));
});

t.test('search and filters are combined', async (t) => {
  const tenant = await openTenant();
  await publishProduct(tenant, { title: 'Silk scarf' });
  await publishProduct(tenant, { title: 'Silk tie' });
  const found = (path: string) => tenant.staff.get(`/admin/products?q=silk${path}`);
  t.match((await found('&handle=silk-tie')).body.items, exactly([{ title: 'Silk tie' }]));
  t.strictSame((await found('&handle=wool-tie')).body.items, []);
  t.strictSame((await found('&externalId=none')).body.items, []);
  t.match(await found('&updatedAfter=2020-01-01T00:00:00Z'), { status: 400, body: { code: 'invalid_request' } });
  t.match(await found('&cursor=x'), { status: 400 });
  t.match(await tenant.visitor().get('/products?q=silk&handle=silk-scarf'), {
    body: { items: exactly([{ title: 'Silk scarf' }]) },
  });
});

t.test('the migration and the job write the same words as a box', async (t) => {
  const words = () =>
    box.owner.query<{ wordFrom: string }>(
      'select * from product_title_words order by tenant_id, product_id, status, word_from',
    );
  const written = await words();
  t.ok(written.length > 100);
  const file = new URL('../migrations/20261122160010_product_fill_title_words.js', import.meta.url);
  const { up } = await import(file.href);
  let migration = '';
  await up({ raw: (text: string) => (migration = text) });
  await box.owner.query('delete from product_title_words');
  await box.owner.query(migration.slice(0, migration.indexOf(';')));
  const isOwn = ({ wordFrom }: { wordFrom: string }) => !wordFrom.startsWith('\u0001');
  t.ok((await words()).length < written.length && (await words()).every(isOwn));
  await box.owner.query('delete from product_word_progress');
  for (const { db } of opened) await fillWords(db);
  t.strictSame(await words(), written);
});

async function wordsOf(productId: string): Promise<string[]> {
  const rows = await box.owner.query<{ wordFrom: string }>(
    `select word_from from product_title_words where product_id = '${productId}' order by word_from collate "C"`,
  );
  return rows.map(({ wordFrom }) => wordFrom);
}
