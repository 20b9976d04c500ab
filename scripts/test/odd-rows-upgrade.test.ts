/**
 * Starts the database of release 0.2.0 with this one, with rows that its routes took and those of today refuse: every
 * read has them, every one of their fields can be sent back as it was read, and carts that were open can be ordered.
 */
import { isDeepStrictEqual } from 'node:util';
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, type Caller, callerOf, createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { startUpgraded, undoLaterMigrations } from './support/former-schema.ts';

const environment = { PAYMENT_ADAPTERS: 'manual', DNS_SERVERS: '127.0.0.1:9' };
const former = await createTestBox(t, { idleJobs: true, environment });
const { staff } = former;
const bare = await former.openTenant();

/** A value of a column, as release 0.2.0 stored it; JSON where the column has it. */
interface Odd {
  table: string;
  id: string;
  column: string;
  value: unknown;
}
const rows: Odd[] = [];

/** Has a row that is created today get values in the database of release 0.2.0. */
async function write(table: string, path: string, body: object, values: Record<string, unknown>): Promise<string> {
  const { id } = await bodyOf(staff.post(path, body));
  for (const [column, value] of Object.entries(values)) rows.push({ table, id, column, value });
  return id;
}

async function writeProducts(): Promise<void> {
  const texts: Record<string, unknown>[] = [
    { title: '   ', brand: ' ', type: ' Shirt ', attributes: [{ name: ' Cut ', value: ' ' }] },
    { title: '  Spaces  ', handle: '123' },
    {
      title: 'M\ufffdller',
      description: '\ufffd\ufffd',
      metadata: { long: 12345678901234567000, '': 'x', ' ': [[[1e21]]] },
    },
    {
      title: 'Html',
      description: '<p onclick="x()">A <b>b</b></p><script>alert(1)</script><form><input></form> & < c',
    },
    { title: 'Much', description: `${'&'.repeat(19_990)}<b>` },
    { title: '日本語の商品', handle: 'product' },
    { title: 'Early', publish_at: '0001-01-01T00:00:00Z' },
    { title: 'Local mean time', publish_at: '1800-01-01T00:00:00Z', unpublish_at: '9999-12-31T23:59:59.999Z' },
  ];
  for (const values of texts) await write('products', '/admin/products', { title: 'P', status: 'published' }, values);
  const skus = ['ABC-1', 'abc-1 ', ' Abc-1', 'ＡＢＣ－１', ' ', 'X', 'X '];
  for (const sku of skus) {
    const { variants } = await bodyOf(staff.post('/admin/products', { title: `SKU ${sku}` }));
    rows.push({ table: 'product_variants', id: variants[0].id, column: 'sku', value: sku });
    rows.push({ table: 'product_variants', id: variants[0].id, column: 'barcode', value: ' 400 ' });
  }
  const options = [{ name: 'Color', values: ['A', 'B'] }];
  const { variants } = await bodyOf(staff.post('/admin/products', { title: 'Options', options }));
  rows.push({ table: 'product_variants', id: variants[0].id, column: 'title', value: ' A ' });
  await write('categories', '/admin/categories', { name: 'C' }, { name: ' ', description: '<script>1</script><p>x' });
  await write('categories', '/admin/categories', { name: 'C' }, { name: ' Shoes ' });
  await write(
    'collections',
    '/admin/collections',
    { title: 'C' },
    { title: ' ', description: '<img src=x onerror=1>' },
  );
  await write('pages', '/admin/pages', { title: 'P', handle: 'p' }, { title: ' ' });
  for (const [at, path] of ['/old page', '/OLD2', '/a/b', '/%C3%A4', '/p;id=1'].entries()) {
    await write('redirects', '/admin/redirects', { path: `/from-${at}`, target: '/new' }, { path });
  }
}

async function writeRules(): Promise<void> {
  const promotion = { label: 'P', automatic: true, discount: { kind: 'percent', percent: 5 } };
  const nothingOff = { kind: 'fixed', amounts: [{ currency: 'EUR', amount: 0 }] };
  await write('promotions', '/admin/promotions', promotion, { label: ' ', discount: nothingOff });
  const year = { starts_at: '1000-01-01T00:00:00Z', ends_at: '9999-12-31T23:59:59Z' };
  await write('promotions', '/admin/promotions', promotion, year);
  for (const province of ['CN', 'Islas Canarias', 'gc', 'Las Palmas', ' TF ', 'Atlantis']) {
    const rate = { code: `r${rows.length}`, name: 'R', rate: 7, country: 'ES', province: 'M' };
    await write('tax_rates', '/admin/tax-rates', rate, { province });
  }
}

/** Addresses of orders, as free text and in forms that are nothing's today. */
const addresses: unknown[] = [
  'Ada\nA 1\nBerlin',
  ' ',
  { country: 'Spain', line1: ' ' },
  { country: 'ESP' },
  { country: ' ', name: ' ', line1: ' ', city: ' ', postalCode: ' ' },
  { countryCode: 'ES', foo: 'bar' },
  { country: 'US', province: 'Atlantis', postalCode: 'ABCDE', name: 'A', line1: '1', city: 'X' },
  { country: 'Deutschland', province: 'Bayern', city: 'M' },
];

/** @returns an open cart for each address of one, whose columns are the fields */
async function writeSales(): Promise<Map<string, { tenant: TestTenant; shopper: Caller }>> {
  const article = await createForSale(former, 1000);
  for (const value of addresses) {
    const shopper = await shopperWith(former, [article, 1]);
    const address = { name: 'Ada', line1: '1', country: 'DE' };
    const { id } = await bodyOf(shopper.post('/checkout', { customer: { email: 'ada@example.com', address } }));
    rows.push({ table: 'order_addresses', id, column: 'address', value });
  }
  const carts = new Map<string, { tenant: TestTenant; shopper: Caller }>();
  const spanish = { name: 'Ada', line1: '1', city: 'X', country: 'ES', postalCode: '28001' };
  for (const values of [
    {},
    { name: ' ', line1: ' ', city: ' ', postal_code: ' ' },
    { country: 'ES', province: 'Las Palmas', postal_code: '35001' },
    { country: 'DE', province: 'Bavaria', postal_code: 'D-80331' },
  ]) {
    const shopper = await shopperWith(former, [article, 1]);
    const { id } = await bodyOf(shopper.put('/cart/shipping-address', spanish));
    for (const [column, value] of Object.entries(values)) rows.push({ table: 'cart_addresses', id, column, value });
    carts.set(JSON.stringify(values), { tenant: former, shopper });
  }
  const other = await createForSale(bare, 1000);
  carts.set('of a store without a country', { tenant: bare, shopper: await shopperWith(bare, [other, 1]) });
  return carts;
}

await bodyOf(staff.post('/admin/regions', { name: 'Spain', currency: 'EUR', countries: ['ES', 'DE'] }));
await writeProducts();
await writeRules();
const carts = await writeSales();
await undoLaterMigrations(former);
const keys: Record<string, string> = { order_addresses: 'order_id', cart_addresses: 'cart_id' };
const json = new Set(['attributes', 'metadata', 'discount', 'address']);
for (const { table, id, column, value } of rows) {
  await former.owner.query(`update ${table} set ${column} = $3 where tenant_id = $1 and ${keys[table] ?? 'id'} = $2`, [
    ...[former.id, id],
    json.has(column) ? JSON.stringify(value) : value,
  ]);
}

const { upgraded, staff: now } = await startUpgraded(t, former, { environment });
const routes = upgraded.routes.map(({ declaration }) => declaration);

/** The list that has the rows of a table. */
const lists: Record<string, string> = {
  ...{ products: 'products', product_variants: 'variants', categories: 'categories', collections: 'collections' },
  ...{ pages: 'pages', redirects: 'redirects', promotions: 'promotions', tax_rates: 'tax-rates' },
  ...{ order_addresses: 'orders', cart_addresses: 'carts' },
};
const pathOf = ({ table, id }: Odd) => `/admin/${lists[table]}/${id}`;
const fieldOf = ({ column }: Odd) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

t.test('every value is read, and lists have all rows', async (t) => {
  const listed = new Map<string, Record<string, unknown>>();
  for (const list of new Set(Object.values(lists))) {
    const { items } = await bodyOf(now.get(`/admin/${list}?limit=100`));
    for (const item of items) listed.set(`/admin/${list}/${item.id}`, item);
  }
  for (const row of rows) {
    const { table, value } = row;
    const item = listed.get(pathOf(row));
    t.ok(item, `${pathOf(row)} is listed`);
    const body = table === 'redirects' ? item : await bodyOf(now.get(pathOf(row)));
    const name = fieldOf(row);
    const shown = table === 'order_addresses' ? body.customer.address : (body.shippingAddress ?? body)[name];
    if (name === 'description') t.notMatch(shown, /<script|onclick|onerror|<form/);
    else if (name.endsWith('At') || name.endsWith('sAt')) t.equal(Date.parse(shown), Date.parse(value as string));
    else t.strictSame(shown, value, `${pathOf(row)} ${name}`);
  }
});

/** What a field becomes when it is sent back; others stay as they are. */
const mended: [field: string, before: unknown, after: unknown][] = [
  ['title', '  Spaces  ', 'Spaces'],
  ['title', ' A ', 'A'],
  ['barcode', ' 400 ', '400'],
  ['name', ' Shoes ', 'Shoes'],
  ['type', ' Shirt ', 'Shirt'],
  ['brand', ' ', null],
  ['sku', ' ', null],
  ['address', ' ', null],
  ['address', { country: 'Spain', line1: ' ' }, { country: 'ES', line1: null }],
  ['address', { country: 'ESP' }, { country: 'ES' }],
  ['address', { country: ' ', name: ' ', line1: ' ', city: ' ', postalCode: ' ' }, null],
  [
    'address',
    { country: 'Deutschland', province: 'Bayern', city: 'M' },
    { country: 'DE', province: 'Bayern', city: 'M' },
  ],
];

t.test('fields can be sent back as they were read, and others changed beside them', async (t) => {
  const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(one, other);
  const after = (name: string, before: unknown) => {
    const found = mended.find(([field, value]) => field === name && isSame(value, before));
    return found ? found[2] : before;
  };
  for (const path of new Set(rows.map(pathOf))) {
    const patch = routes.find((route) => route.method === 'patch' && path.startsWith(route.path.replace(':id', '')));
    if (!patch) continue;
    const before = await bodyOf(now.get(path));
    const names = Object.keys(patch.body?.properties ?? {}).filter((name) => name in before);
    const all = Object.fromEntries(names.map((name) => [name, before[name]]));
    const own = rows
      .filter((row) => pathOf(row) === path)
      .map((row) => (fieldOf(row) in all ? fieldOf(row) : 'customer'));
    const other = 'externalId' in all ? { externalId: path } : {};
    for (const sent of [...own.map((name) => ({ [name]: all[name] })), all, { ...all, ...other }]) {
      const { status, body } = await now.patch(path, sent);
      if (!t.equal(status, 200, `${path} ${JSON.stringify(sent).slice(0, 200)}: ${body.detail}`)) continue;
      for (const name of names.filter((each) => !(each in other))) {
        const [field, one, other] =
          name === 'customer'
            ? ['address', before.customer.address, body.customer.address]
            : [name, before[name], body[name]];
        // What is sent by itself leaves the others as they are.
        if (!isSame(other, one)) t.strictSame(other, after(field, one), `${path} ${name}`);
      }
    }
    if ('externalId' in all) t.equal((await bodyOf(now.get(path))).externalId, path);
  }
});

t.test('the values are still refused where they are new', async (t) => {
  const [product] = (await bodyOf(now.get('/admin/products?limit=1'))).items;
  const path = `/admin/products/${product.id}`;
  for (const body of [{ title: '  ' }, { publishAt: '0001-01-01T00:00:00Z' }, { title: '  ', brand: 'B' }]) {
    t.match(await now.patch(path, body), { status: 400, body: { code: 'invalid_request' } });
  }
  t.match(await now.patch(`/admin/variants/${product.variants[0].id}`, { sku: 'aBc-1' }), {
    ...{ status: 409, body: { code: 'sku_taken' } },
  });
});

t.test('carts that were open are ordered', async (t) => {
  for (const [name, { shopper }] of carts) {
    const buyer = callerOf(upgraded.url, shopper.headers);
    const order = () => buyer.post('/checkout', { customer: { email: 'ada@example.com' } });
    if (name.includes('"city":" "')) {
      // Nothing is left that names its province, on which a tax rate depends.
      const errors = exactly([{ pointer: '/customer/address/province' }]);
      t.match(await order(), { status: 409, body: { code: 'customer_details_missing', errors } });
      const address = {
        name: 'Ada',
        line1: '1',
        city: 'Madrid',
        province: 'Madrid',
        country: 'ES',
        postalCode: '28001',
      };
      t.equal((await buyer.put('/cart/shipping-address', address)).status, 200);
    }
    const { status, body } = await order();
    t.equal(status, 201, `${name}: ${body.detail}`);
  }
});
