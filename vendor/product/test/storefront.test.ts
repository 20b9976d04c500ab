/**
 * Products for shoppers: published ones, in declared orders, with prices.
 */
import { createTestBox, exactly, extendBox, statementsOf } from '@carton/runtime/testing';
import t from 'tap';
import { type PriceRequest, variantPricers } from '../index.ts';
import { packages, publishProduct } from './helpers.ts';
import { pricerOf } from './pricing.ts';

/** A variant without the fields that only staff see. */
function forShoppers(variant: Record<string, unknown>) {
  const { position, hsCode, originCountry, requiresShipping, externalId, metadata, createdAt, updatedAt, ...shown } =
    variant;
  return shown;
}

const titles = (response: { body: { items: { title: string }[] } }) => response.body.items.map(({ title }) => title);

t.test('without prices', async (t) => {
  const box = await createTestBox(t, { packages, tier: 'basic' });
  const visitor = box.visitor();

  await t.test('`fields` selects fields of a list', async (t) => {
    const tenant = await box.openTenant();
    await publishProduct(tenant, { title: 'Shirt', options: [{ name: 'Size', values: ['S', 'M'] }] });
    await publishProduct(tenant, { title: 'Socks' });
    const list = async (query: string) => (await tenant.visitor().get(`/products?sort=title${query}`)).body;
    const whole = await list('');
    for (const fields of ['id', 'title,handle', 'options', 'variants', 'id,options,variants,createdAt']) {
      const names = fields.split(',');
      const expected = whole.items.map((item: object) =>
        Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name))),
      );
      t.strictSame(await list(`&fields=${fields}`), { items: expected, nextCursor: null }, fields);
    }
    const first = await list('&fields=title&limit=1');
    t.strictSame((await list(`&fields=title&cursor=${first.nextCursor}`)).items, [{ title: 'Socks' }]);
    t.match(await list('&fields=metadata'), { status: 400, errors: exactly([{ pointer: '/fields' }]) });
  });

  await t.test('a shopper reads a published product by handle or id, without fields for staff', async (t) => {
    const created = await publishProduct(box, {
      title: 'Shirt',
      metadata: { margin: 40 },
      options: [{ name: 'Size', values: ['S', 'M'] }],
    });
    const seen = await visitor.get('/products/shirt');
    t.equal(seen.status, 200);
    const {
      status: _,
      metadata: __,
      externalId: ___,
      publishAt: ______,
      unpublishAt: _______,
      taxCategory: ____,
      shippingProfile: _____,
      variants,
      ...rest
    } = created;
    t.strictSame(seen.body, {
      ...rest,
      variants: variants.map(forShoppers),
    });
    t.strictSame(Object.keys(seen.body.variants[0]).sort(), [
      'barcode',
      'compareAtPrice',
      'displayWeight',
      'height',
      'id',
      'length',
      'lowestPriorPrice',
      'options',
      'price',
      'productId',
      'sku',
      'title',
      'weight',
      'width',
    ]);
    t.equal(seen.body.variants[0].price, null);
    t.strictSame((await visitor.get(`/products/${created.id}`)).body, seen.body);
    t.strictSame((await visitor.get(`/products/${created.id.toUpperCase()}`)).body, seen.body);
    t.strictSame((await visitor.get('/products?handle=shirt')).body.items, [seen.body]);
    const variant = await visitor.get(`/variants/${created.variants[1].id.toUpperCase()}`);
    t.strictSame(variant.body, seen.body.variants[1]);
    const again = await visitor.get('/products/shirt', {
      headers: { 'if-none-match': seen.headers.get('etag') as string },
    });
    t.equal(again.status, 304);
  });

  await t.test('drafts, archived and unknown products are 404 and not listed', async (t) => {
    const draft = await publishProduct(box, { title: 'Secret draft', status: 'draft' });
    await publishProduct(box, { title: 'Secret archive', status: 'archived' });
    const unknown = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
    for (const path of [
      `/products/${draft.id}`,
      '/products/secret-draft',
      '/products/secret-archive',
      `/variants/${draft.variants[0].id}`,
      `/products/${unknown}`,
      `/variants/${unknown}`,
      '/variants/x',
      '/products/no-such-product',
      '/products/%00',
      `/products/${'x'.repeat(200)}`,
    ]) {
      const { status } = await visitor.get(path);
      t.equal(status, 404, path);
    }
    t.strictSame(titles(await visitor.get('/products?q=secret')), []);
    t.strictSame(titles(await visitor.get('/products?handle=secret-draft')), []);
  });

  await t.test('lists have each declared order, with pages that stay stable when products are added', async (t) => {
    const tenant = await box.openTenant();
    for (const title of ['banana', 'Apple', 'cherry', 'apple']) {
      await publishProduct(tenant, { title, handle: `${title.toLowerCase()}-${title.charCodeAt(0)}` });
    }
    const orders: [sort: string, titles: string[]][] = [
      ['newest', ['apple', 'cherry', 'Apple', 'banana']],
      ['oldest', ['banana', 'Apple', 'cherry', 'apple']],
      ['title', ['Apple', 'apple', 'banana', 'cherry']],
    ];
    for (const [sort, expected] of orders) {
      const path = `/products?sort=${sort}&limit=3`;
      const first = await tenant.visitor().get(path);
      const between = await publishProduct(tenant, { title: 'Aardvark' });
      const second = await tenant.visitor().get(`${path}&cursor=${first.body.nextCursor}`);
      await tenant.staff.delete(`/admin/products/${between.id}`);
      const seen = [...titles(first), ...titles(second)].filter((title) => title !== 'Aardvark');
      t.strictSame(seen, expected, sort);
      t.equal(second.body.nextCursor, null);
    }
    const { nextCursor } = (await tenant.visitor().get('/products?limit=1')).body;
    for (const query of [`sort=title&cursor=${nextCursor}`, 'cursor=x', 'sort=price', 'limit=0', 'limit=101', 'x=1']) {
      const refused = await tenant.visitor().get(`/products?${query}`);
      t.match(refused, { status: 400, body: { code: 'invalid_request' } }, query);
    }
    const filtered = await tenant.visitor().get('/products?q=APP&limit=1&sort=title');
    const rest = await tenant.visitor().get(`/products?q=APP&limit=1&sort=title&cursor=${filtered.body.nextCursor}`);
    t.strictSame([...titles(filtered), ...titles(rest)], ['Apple', 'apple']);
    t.equal(rest.body.nextCursor, null);
  });

  await t.test('titles are sorted as people read them, on every page', async (t) => {
    const tenant = await box.openTenant();
    const expected = [
      ...['100', '20', 'ananas', 'Äpfel', 'Apfelwein', 'cote', 'coté', 'côte', 'éclair', 'Łódź', 'm', 'Öl', 'olive'],
      ...['Ólafur', 'ß', 'strasse', 'Straße', 'Zebra', 'Ёлка', 'Яблоко', 'منتج', 'あ', '日本'],
    ];
    for (const title of [...expected].reverse()) await publishProduct(tenant, { title });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await tenant.visitor().get(`/products?sort=title&limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...titles(page));
      cursor = page.body.nextCursor;
    }
    t.strictSame(seen, expected.toSorted(new Intl.Collator('und').compare));
    t.ok(seen.indexOf('Äpfel') < seen.indexOf('cote') && seen.indexOf('éclair') < seen.indexOf('Zebra'));
  });

  await t.test('a list sorted by long titles can be paged', async (t) => {
    const tenant = await box.openTenant();
    for (const mark of ['a', 'b']) await publishProduct(tenant, { title: '𝄞'.repeat(199) + mark, handle: mark });
    const first = await tenant.visitor().get('/products?sort=title&limit=1');
    const second = await tenant.visitor().get(`/products?sort=title&limit=1&cursor=${first.body.nextCursor}`);
    t.equal(second.status, 200);
    t.not(second.body.items[0].id, first.body.items[0].id);
  });

  await t.test('a store shows only its own products', async (t) => {
    const other = await box.openTenant();
    await publishProduct(box, { title: 'Ours' });
    const theirs = await publishProduct(other, { title: 'Theirs' });
    t.match(await visitor.get('/products/theirs'), { status: 404 });
    t.match(await visitor.get(`/products/${theirs.id}`), { status: 404 });
    t.match(await visitor.get(`/variants/${theirs.variants[0].id}`), { status: 404 });
    t.notOk(titles(await visitor.get('/products?limit=100')).includes('Theirs'));
    const { nextCursor } = (await visitor.get('/products?limit=1')).body;
    t.strictSame(titles(await other.visitor().get(`/products?cursor=${nextCursor}`)), [], 'a cursor gives no access');
  });
});

t.test('with prices', async (t) => {
  const box = await createTestBox(t, { packages, tier: 'basic' });
  const visitor = box.visitor();
  const product = await publishProduct(box, { title: 'Shirt', options: [{ name: 'Size', values: ['S', 'M', 'L'] }] });
  const [small, medium] = product.variants;
  const requests: PriceRequest[] = [];
  const pricer = variantPricers.with(pricerOf({ [small.id]: 1000, [medium.id]: 2000 }, requests));
  extendBox(t, box, [pricer]);

  await t.test("each variant has its price, by default in the store's currency", async (t) => {
    const prices = async (path: string) =>
      (await visitor.get(path)).body.variants.map(({ price }: { price: unknown }) => price);
    const eur = [{ amount: 1000, currency: 'EUR' }, { amount: 2000, currency: 'EUR' }, null];
    t.strictSame(await prices('/products/shirt'), eur);
    t.strictSame((await prices('/products/shirt?currency=USD'))[0], { amount: 1000, currency: 'USD' });
    t.strictSame((await visitor.get(`/variants/${medium.id}`)).body.price, eur[1]);
    t.strictSame((await visitor.get('/products')).body.items[0].variants[0].price, eur[0]);
    const [listed] = (await box.staff.get('/admin/products')).body.items;
    t.strictSame(listed.variants[0].price, eur[0]);
    t.strictSame((await box.staff.get(`/admin/variants/${small.id}`)).body.price, eur[0]);

    requests.length = 0;
    const regionId = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
    for (const query of [
      '',
      '?currency=USD',
      `?regionId=${regionId}`,
      `?regionId=${regionId}&currency=USD&quantity=5`,
    ]) {
      await visitor.get(`/products${query}`);
    }
    t.strictSame(JSON.parse(JSON.stringify(requests)), [
      { currency: 'EUR', memberId: null },
      { currency: 'USD', memberId: null },
      { regionId, memberId: null },
      { currency: 'USD', regionId, quantity: 5, memberId: null },
    ]);
    t.strictSame((await prices('/products/shirt?currency=uSd'))[0], { amount: 1000, currency: 'USD' }, 'in any case');
    for (const query of ['currency=usx', 'currency=EURO', 'regionId=x', 'quantity=0']) {
      t.match(await visitor.get(`/products?${query}`), { status: 400 }, query);
      t.match(await visitor.get(`/products/shirt?${query}`), { status: 400 }, query);
      t.match(await visitor.get(`/variants/${small.id}?${query}`), { status: 400 }, query);
    }
  });

  await t.test('a list takes as many statements for twelve products as for one', async (t) => {
    const list = () => visitor.get('/products?limit=12');
    const statements = async () =>
      (await statementsOf(box.db, list)).filter((text) => /\b(products|product_variants)\b/.test(text));
    const forOne = await statements();
    for (let turn = 0; turn < 12; turn += 1) {
      await publishProduct(box, { title: `Twelve ${turn}`, options: [{ name: 'Size', values: ['S', 'M'] }] });
    }
    const forTwelve = await statements();
    t.equal((await list()).body.items.length, 12);
    t.strictSame(forTwelve, forOne);
    t.ok(forTwelve.length > 0);
    t.ok(forTwelve.length <= 3, `${forTwelve.length} statements besides the pricer's`);
  });

  await t.test('if two packages price a variant, the later one wins', async (t) => {
    extendBox(t, box, [pricer, variantPricers.with(pricerOf({ [medium.id]: 1500 }))]);
    const { variants } = (await visitor.get('/products/shirt')).body;
    t.match(variants, exactly([{ price: { amount: 1000 } }, { price: { amount: 1500 } }, { price: null }]));
  });
});
