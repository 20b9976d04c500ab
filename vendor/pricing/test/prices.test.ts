import { newId } from '@carton/runtime';
import { createTestBox, exactly, payloadsOf, pointersOf, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { pricesOf as basePricesOf } from '../store.ts';

const packages = ['core', 'auth', 'tenant', 'region', 'product', 'pricing'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const other = await box.openTenant();

async function createProduct(tenant: TestTenant, variants = 1) {
  const body = {
    title: 'Shirt',
    status: 'published',
    options: [{ name: 'Size', values: Array.from({ length: variants }, (_, index) => `S${index}`) }],
  };
  const created = await tenant.staff.post('/admin/products', body);
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const ids: string[] = created.body.variants.map(({ id }: { id: string }) => id);
  return {
    handle: created.body.handle as string,
    id: created.body.id as string,
    variantIds: ids,
    variantId: ids[0] as string,
  };
}

async function createRegion(tenant: TestTenant, currency: string): Promise<string> {
  const created = await tenant.staff.post('/admin/regions', { name: `Region ${currency}`, currency });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body.id;
}

const put = (tenant: TestTenant, variantId: string, prices: unknown) =>
  tenant.staff.put(`/admin/variants/${variantId}/prices`, { prices });
const bulk = (tenant: TestTenant, prices: unknown) => tenant.staff.post('/admin/prices/bulk', { prices });

async function pricesIn(tenant: TestTenant, variantId: string) {
  const { body } = await tenant.staff.get(`/admin/variants/${variantId}/prices`);
  type Item = { currency: string; regionId: string | null; amount: number };
  return body.items.map(({ currency, regionId, amount }: Item) => ({ currency, regionId, amount }));
}

const changesOf = (tenant: TestTenant, variantId: string) =>
  payloadsOf(tenant, { resourceId: variantId, type: 'price.updated' });

/** The amounts of variants, by id. */
async function pricesOf(...input: Parameters<typeof basePricesOf>): Promise<Map<string, number>> {
  return new Map([...(await basePricesOf(...input))].map(([id, { amount }]) => [id, amount]));
}

t.test('PUT replaces all prices of a variant', async (t) => {
  const { variantId } = await createProduct(box);
  const region = await createRegion(box, 'EUR');
  t.strictSame(await pricesIn(box, variantId), []);
  const first = [
    { currency: 'USD', regionId: null, amount: 2500 },
    { currency: 'EUR', regionId: region, amount: 1900 },
    { currency: 'EUR', amount: 2000 },
  ];
  const set = await put(box, variantId, first);
  t.equal(set.status, 200);
  const inOrder = [
    { currency: 'EUR', regionId: null, amount: 2000 },
    { currency: 'EUR', regionId: region, amount: 1900 },
    { currency: 'USD', regionId: null, amount: 2500 },
  ];
  t.match(set.body.items, exactly(inOrder));
  t.strictSame(await pricesIn(box, variantId), inOrder);
  t.strictSame(await changesOf(box, variantId), [{ prices: inOrder.map((price) => ({ ...price, compareAt: null })) }]);

  await put(box, variantId, first);
  t.equal((await changesOf(box, variantId)).length, 1, 'the same prices again change nothing');
  const { body } = await box.staff.get(`/admin/variants/${variantId}/prices`);
  t.strictSame(body, set.body);

  await put(box, variantId, [{ currency: 'EUR', amount: 0 }]);
  t.strictSame(await pricesIn(box, variantId), [{ currency: 'EUR', regionId: null, amount: 0 }]);
  await put(box, variantId, []);
  t.strictSame(await pricesIn(box, variantId), []);
  t.strictSame((await changesOf(box, variantId)).at(-1), { prices: [] });
});

t.test('a bulk request sets its prices and leaves all others', async (t) => {
  const [one, two] = [await createProduct(box), await createProduct(box)];
  const region = await createRegion(box, 'GBP');
  await put(box, one.variantId, [
    { currency: 'EUR', amount: 100 },
    { currency: 'USD', amount: 100 },
  ]);
  await put(box, two.variantId, [{ currency: 'EUR', amount: 200 }]);
  const lines = [
    { variantId: two.variantId, currency: 'EUR', regionId: null, amount: 200 },
    { variantId: one.variantId.toUpperCase(), currency: 'EUR', amount: 150 },
    { variantId: one.variantId, currency: 'GBP', regionId: region.toUpperCase(), amount: 120 },
  ];
  const response = await bulk(box, lines);
  t.equal(response.status, 200);
  t.match(
    response.body.items,
    exactly([
      { variantId: two.variantId, currency: 'EUR', regionId: null, amount: 200 },
      { variantId: one.variantId, currency: 'EUR', regionId: null, amount: 150 },
      { variantId: one.variantId, currency: 'GBP', regionId: region, amount: 120 },
    ]),
  );
  t.strictSame(await pricesIn(box, one.variantId), [
    { currency: 'EUR', regionId: null, amount: 150 },
    { currency: 'GBP', regionId: region, amount: 120 },
    { currency: 'USD', regionId: null, amount: 100 },
  ]);
  t.equal((await changesOf(box, one.variantId)).length, 2);
  t.equal((await changesOf(box, two.variantId)).length, 1, 'no event for unchanged prices');
});

t.test('a bulk request sets up to 500 prices', async (t) => {
  const products = [await createProduct(box, 100), await createProduct(box, 100)];
  const ids = products.flatMap(({ variantIds }) => variantIds);
  const lines = ids.flatMap((variantId, index) =>
    ['EUR', 'USD', 'GBP'].slice(0, index < 100 ? 3 : 2).map((currency) => ({ variantId, currency, amount: index })),
  );
  t.equal(lines.length, 500);
  t.equal((await bulk(box, lines)).status, 200);
  t.equal(
    (
      await bulk(
        box,
        lines.map((line) => ({ ...line, amount: line.amount + 1 })),
      )
    ).status,
    200,
  );
  const prices = await pricesOf(box.db, ids, { currency: 'USD', regionId: null });
  t.strictSame([prices.size, prices.get(ids[199] as string)], [200, 200]);
  t.match(await bulk(box, [...lines, lines[0]]), { status: 400, body: { errors: exactly([{ pointer: '/prices' }]) } });
});

t.test('every invalid line is reported, and nothing is written', async (t) => {
  const { variantId } = await createProduct(box);
  const region = await createRegion(box, 'EUR');
  const theirs = await createProduct(other);
  const theirRegion = await createRegion(other, 'EUR');
  const deleted = await createProduct(box);
  await box.staff.delete(`/admin/products/${deleted.id}`);
  const good = { variantId, currency: 'EUR', amount: 100 };
  const lines = [
    good,
    { ...good, regionId: null },
    { ...good, regionId: newId() },
    { ...good, regionId: theirRegion },
    { ...good, currency: 'USD', regionId: region },
    { ...good, variantId: newId() },
    { ...good, variantId: theirs.variantId },
    { ...good, variantId: deleted.variantId },
  ];
  const response = await bulk(box, lines);
  t.match(response, { status: 400, body: { code: 'invalid_request', detail: /\/prices\/1/ } });
  t.strictSame(
    response.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    [
      '/prices/1',
      '/prices/2/regionId',
      '/prices/3/regionId',
      '/prices/4/currency',
      '/prices/5/variantId',
      '/prices/6/variantId',
      '/prices/7/variantId',
    ],
  );
  t.match(response.body.errors[3], { in: 'body', detail: /EUR/ });
  const one = await put(box, variantId, [
    { currency: 'EUR', amount: 1 },
    { currency: 'USD', regionId: region, amount: 1 },
  ]);
  t.match(one, { status: 400, body: { errors: exactly([{ pointer: '/prices/1/currency' }]) } });
  t.strictSame(await pricesIn(box, variantId), []);
  t.strictSame(await pricesIn(other, theirs.variantId), []);

  const wrong: [line: unknown, pointer: string][] = [
    [{ currency: 'EUR' }, '/prices/0/amount'],
    [{ currency: 'XXQ', amount: 1 }, '/prices/0/currency'],
    [{ currency: 'EUR', amount: -1 }, '/prices/0/amount'],
    [{ currency: 'EUR', amount: 1.5 }, '/prices/0/amount'],
    [{ currency: 'EUR', amount: 1e15 }, '/prices/0/amount'],
    [{ currency: 'EU', amount: 1 }, '/prices/0/currency'],
    [{ currency: 'EUR', amount: 1, regionId: 'home' }, '/prices/0/regionId'],
    [{ currency: 'EUR', amount: 1, price: 2 }, '/prices/0/price'],
  ];
  for (const [line, pointer] of wrong) {
    const refused = await put(box, variantId, [line]);
    t.strictSame([refused.status, pointersOf(refused)], [400, [pointer]], pointer);
  }
  t.match(await bulk(box, []), { status: 400 });
});

t.test("prices of unknown, deleted and other tenants' variants are 404", async (t) => {
  const { id, variantId } = await createProduct(box);
  await put(box, variantId, [{ currency: 'EUR', amount: 100 }]);
  for (const wrong of [newId(), 'no-id', variantId]) {
    t.match(await other.staff.get(`/admin/variants/${wrong}/prices`), { status: 404, body: { code: 'not_found' } });
    t.match(await put(other, wrong, [{ currency: 'EUR', amount: 1 }]), { status: 404 });
  }
  t.strictSame(await pricesIn(box, variantId), [{ currency: 'EUR', regionId: null, amount: 100 }]);
  t.equal((await pricesOf(other.db, [variantId], { currency: 'EUR', regionId: null })).size, 0);
  await box.staff.delete(`/admin/products/${id}`);
  t.match(await box.staff.get(`/admin/variants/${variantId}/prices`), { status: 404 });
});

t.test("a region's price takes precedence over its currency's", async (t) => {
  const { variantIds } = await createProduct(box, 4);
  const [both, general, regional, none] = variantIds as [string, string, string, string];
  const [here, there] = [await createRegion(box, 'EUR'), await createRegion(box, 'EUR')];
  await bulk(box, [
    { variantId: both, currency: 'EUR', amount: 10 },
    { variantId: both, currency: 'EUR', regionId: here, amount: 9 },
    { variantId: both, currency: 'EUR', regionId: there, amount: 11 },
    { variantId: both, currency: 'USD', amount: 12 },
    { variantId: general, currency: 'EUR', amount: 20 },
    { variantId: regional, currency: 'EUR', regionId: here, amount: 30 },
  ]);
  const cases: [currency: string, regionId: string | null, prices: Record<string, number>][] = [
    ['EUR', null, { [both]: 10, [general]: 20 }],
    ['EUR', here, { [both]: 9, [general]: 20, [regional]: 30 }],
    ['EUR', there, { [both]: 11, [general]: 20 }],
    ['USD', null, { [both]: 12 }],
    ['JPY', null, {}],
  ];
  for (const [currency, regionId, prices] of cases) {
    const found = await pricesOf(box.db, [both, general, regional, none], { currency, regionId });
    t.strictSame(Object.fromEntries(found), prices);
  }
  t.equal((await pricesOf(box.db, [], { currency: 'EUR', regionId: null })).size, 0);
});

t.test('products are returned with their prices', async (t) => {
  const { handle, variantId } = await createProduct(box);
  const region = await createRegion(box, 'USD');
  await put(box, variantId, [
    { currency: 'EUR', amount: 1000 },
    { currency: 'USD', amount: 1100 },
    { currency: 'USD', regionId: region, amount: 1200 },
  ]);
  const cases: [query: string, price: unknown][] = [
    ['', { amount: 1000, currency: 'EUR' }],
    ['?currency=USD', { amount: 1100, currency: 'USD' }],
    [`?regionId=${region}`, { amount: 1200, currency: 'USD' }],
    [`?regionId=${region}&currency=USD`, { amount: 1200, currency: 'USD' }],
    ['?currency=JPY', null],
  ];
  for (const [query, price] of cases) {
    const { body } = await box.visitor().get(`/products/${handle}${query}`);
    t.strictSame(body.variants[0].price, price, query);
    t.strictSame((await box.visitor().get(`/variants/${variantId}${query}`)).body.price, price, query);
  }
  const wrong: [query: string, pointer: string][] = [
    [`regionId=${newId()}`, '/regionId'],
    [`regionId=${await createRegion(other, 'EUR')}`, '/regionId'],
    [`regionId=${region}&currency=EUR`, '/currency'],
  ];
  for (const [query, pointer] of wrong) {
    for (const path of [`/products/${handle}`, '/products', `/variants/${variantId}`]) {
      const response = await box.visitor().get(`${path}?${query}`);
      t.match(response, { status: 400, body: { errors: exactly([{ in: 'query', pointer }]) } }, `${path}?${query}`);
    }
  }
});

t.test('a region with prices cannot change its currency or be deleted', async (t) => {
  const { variantId } = await createProduct(box);
  const region = await createRegion(box, 'EUR');
  const path = `/admin/regions/${region}`;
  await put(box, variantId, [{ currency: 'EUR', regionId: region, amount: 5 }]);
  t.match(await box.staff.patch(path, { currency: 'USD' }), { status: 409 });
  t.match(await box.staff.patch(path, { name: 'Renamed' }), { status: 200 });
  t.match(await box.staff.delete(path), { status: 409 });
  await put(box, variantId, []);
  t.match(await box.staff.patch(path, { currency: 'USD' }), { status: 200 });
  t.match(await box.staff.delete(path), { status: 204 });
});

t.test('of a concurrent price and currency change of a region, one succeeds', async (t) => {
  const { variantId } = await createProduct(box);
  for (let round = 0; round < 8; round++) {
    const region = await createRegion(box, 'EUR');
    const [priced, changed] = await Promise.all([
      put(box, variantId, [{ currency: 'EUR', regionId: region, amount: 5 }]),
      box.staff.patch(`/admin/regions/${region}`, { currency: 'USD' }),
    ]);
    t.ok(
      (priced.status === 200 && changed.status === 409) || (priced.status === 400 && changed.status === 200),
      `${priced.status} ${changed.status}`,
    );
  }
});

t.test('concurrent requests take effect completely, one after the other', async (t) => {
  const { variantIds } = await createProduct(box, 2);
  const [one, two] = variantIds as [string, string];
  const sets = [['EUR', 'USD'], ['GBP'], ['EUR', 'JPY'], ['CHF', 'USD', 'EUR'], ['EUR', 'GBP']].map(
    (currencies, index) => currencies.map((currency) => ({ currency, regionId: null, amount: index + 1 })),
  );
  const responses = await Promise.all(sets.map((prices) => put(box, one, prices)));
  t.strictSame([...new Set(responses.map(({ status }) => status))], [200]);
  const last = await pricesIn(box, one);
  const sorted = sets.map((prices) => [...prices].sort((a, b) => (a.currency < b.currency ? -1 : 1)));
  t.ok(sorted.some((prices) => JSON.stringify(prices) === JSON.stringify(last)));

  const bulks = Array.from({ length: 6 }, (_, index) => {
    const lines = [one, two].map((variantId) => ({ variantId, currency: 'SEK', amount: index }));
    return bulk(box, index % 2 ? lines : lines.reverse());
  });
  t.strictSame([...new Set((await Promise.all(bulks)).map(({ status }) => status))], [200]);
  const prices = await pricesOf(box.db, [one, two], { currency: 'SEK', regionId: null });
  t.equal(prices.get(one), prices.get(two), 'both from the same request');
});
