/**
 * Products are sorted by title as the store's language has it, by an index that exists where a store has the language.
 */
import { createTestBox, keepIndexes, type TestTenant, until } from '@carton/runtime/testing';
import t from 'tap';
import { publishProduct } from './helpers.ts';

const box = await createTestBox(t);

const swedish = ['Apa', 'Älg', 'Ål', 'Ö', 'Zebra', 'Ångström', 'Övik'];
const inSwedish = ['Apa', 'Zebra', 'Ål', 'Ångström', 'Älg', 'Ö', 'Övik'];
const inRoot = ['Ål', 'Älg', 'Ångström', 'Apa', 'Ö', 'Övik', 'Zebra'];

type List = { items: { title: string }[]; nextCursor: string | null };

async function pageOf(tenant: TestTenant, query = ''): Promise<List> {
  const { status, body } = await tenant.visitor().get(`/products?sort=title${query}`);
  t.equal(status, 200, query);
  return body;
}

async function rest(tenant: TestTenant, cursor: string | null): Promise<string[]> {
  const seen: string[] = [];
  for (let next = cursor; next !== null; ) {
    const { items, nextCursor } = await pageOf(tenant, `&limit=2&cursor=${next}`);
    seen.push(...items.map(({ title }) => title));
    next = nextCursor;
  }
  return seen;
}

const titles = async (tenant: TestTenant, query = '') => (await pageOf(tenant, query)).items.map(({ title }) => title);
const untilSorted = (tenant: TestTenant, expected: string[]) =>
  until(
    () => titles(tenant),
    (found) => found.join() === expected.join(),
  );

async function storeIn(defaultLocale: string, products = swedish) {
  const tenant = await box.openTenant();
  await tenant.staff.patch('/admin/store', { defaultLocale });
  for (const title of products) await publishProduct(tenant, { title, brand: 'Ahlberg' });
  return tenant;
}

const languageIndexes = async () =>
  (
    await box.owner.query<{ name: string }>(
      "select indexname as name from pg_indexes where indexname ~ '^products_title_[a-z_]+$' and indexname !~ 'words' order by 1",
    )
  ).map(({ name }) => name);

t.test(
  'a list has the order of the store’s language once its index is built, and goes on as it has begun',
  async (t) => {
    const tenant = await storeIn('sv-FI');
    const english = await storeIn('en');
    await keepIndexes(box, { indexes: [] });
    t.strictSame(await titles(tenant), inRoot, 'without the index');
    const begun = await pageOf(tenant, '&limit=2');
    t.strictSame(await keepIndexes(box), ['creating the index of a language', 'created the index of a language']);
    t.strictSame(await languageIndexes(), ['products_title_sv']);
    await untilSorted(tenant, inSwedish);
    t.strictSame(await titles(english), inRoot, 'a store of another language');
    t.strictSame(await titles(tenant, '&brand=Ahlberg'), inSwedish);
    t.strictSame(
      await titles(tenant, '&q=ö'),
      inSwedish.filter((title) => /^ö/i.test(title)),
    );

    t.strictSame(await rest(tenant, begun.nextCursor), inRoot.slice(2), 'a cursor of the root order');
    const first = await pageOf(tenant, '&limit=2');
    await tenant.staff.patch('/admin/store', { defaultLocale: 'en' });
    t.strictSame(await titles(tenant), inRoot, 'the store has another language');
    t.strictSame(await rest(tenant, first.nextCursor), inSwedish.slice(2), 'a cursor of the Swedish order');
    t.strictSame(await keepIndexes(box, { dropUnused: false }), []);
    t.strictSame(await keepIndexes(box), ['dropping an index of a language that no store has']);
    t.strictSame(await languageIndexes(), []);
    const query = `/products?sort=title&limit=2&cursor=${first.nextCursor}`;
    await until(
      () => tenant.visitor().get(query),
      ({ status }) => status === 400,
    );
    for (const name of ['title und', 'title "', 'title SV', 'title sv-x-icu" desc --']) {
      const cursor = Buffer.from(JSON.stringify([name, 'a', tenant.id])).toString('base64url');
      t.match(await tenant.visitor().get(`/products?sort=title&cursor=${cursor}`), { status: 400 }, name);
    }
  },
);

t.test('languages have their letters in their places', async (t) => {
  const cases: Record<string, string[]> = {
    da: ['Aben', 'Zebra', 'Æble', 'Ørn', 'Ål', 'Aal'],
    nb: ['Ape', 'Zebra', 'Ærfugl', 'Øl', 'Ål'],
    es: ['nube', 'nylon', 'ñandú', 'oso'],
    cs: ['cibule', 'čaj', 'hrad', 'chata', 'item'],
    et: ['saun', 'šokk', 'zoo', 'žanr', 'tamm', 'wok', 'õun', 'ämber', 'öö', 'üks', 'xerox'],
    lt: ['inkaras', 'ylos', 'jonas', 'sala', 'šaltis'],
    tr: ['cam', 'çam', 'gaga', 'ğ', 'ılık', 'ilik'],
    'zh-TW': ['一', '丁', '木'],
  };
  const stores = new Map<string, TestTenant>();
  for (const [locale, expected] of Object.entries(cases))
    stores.set(locale, await storeIn(locale, expected.toReversed()));
  await keepIndexes(box);
  t.strictSame((await languageIndexes()).length, Object.keys(cases).length);
  for (const [locale, expected] of Object.entries(cases)) {
    const tenant = stores.get(locale) as TestTenant;
    const sorted = expected.toSorted(new Intl.Collator(locale).compare);
    await untilSorted(tenant, sorted);
    const { items, nextCursor } = await pageOf(tenant, '&limit=1');
    t.strictSame([items[0]?.title, ...(await rest(tenant, nextCursor))], sorted, locale);
  }
});

t.test('a database without ICU sorts by code points, in every language', async (t) => {
  const other = await createTestBox(t);
  await other.owner.query(
    'drop index products_published_title_icu, products_brand_title_icu, products_type_title_icu, products_brand_type_title_icu',
  );
  await other.owner.query("delete from pg_collation where collprovider = 'i'");
  await other.staff.patch('/admin/store', { defaultLocale: 'sv' });
  for (const title of swedish) await publishProduct(other, { title });
  t.strictSame(await keepIndexes(other), []);
  t.strictSame(await titles(other), ['Apa', 'Zebra', 'Älg', 'Ål', 'Ångström', 'Ö', 'Övik'], 'as before');
});

t.test('a box has a few such indexes at most, and mends what a killed process has left', async (t) => {
  await box.owner.query("update pg_index set indisvalid = false where indexrelid = 'products_title_es'::regclass");
  const locales = ['pl', 'hu', 'sk', 'sl', 'hr', 'ro', 'vi', 'uk', 'ru', 'el', 'fi'];
  for (const locale of locales) await (await box.openTenant()).staff.patch('/admin/store', { defaultLocale: locale });
  t.equal((await keepIndexes(box))[0], 'dropping an incomplete index');
  const indexes = await languageIndexes();
  t.equal(indexes.length, 16);
  t.ok(indexes.includes('products_title_es'));
  t.strictSame(await keepIndexes(box), []);
});
