/**
 * Every change of a price is recorded; reduced prices show the lowest price before; costs are for staff only.
 */
import { callerOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t, { tier: 'enterprise' });

async function createVariant(): Promise<string> {
  const body = { title: 'Shirt', status: 'published', variants: [{ title: 'Only' }] };
  return (await box.staff.post('/admin/products', body)).body.variants[0].id;
}
const path = (variantId: string) => `/admin/variants/${variantId}/prices`;
const put = (variantId: string, ...prices: object[]) => box.staff.put(path(variantId), { prices });
const bulk = (...prices: object[]) => box.staff.post('/admin/prices/bulk', { prices });
const historyOf = async (variantId: string, query = '') =>
  (await box.staff.get(`/admin/variants/${variantId}/price-history${query}`)).body;

/** Moves the history of a variant into the past. */
const age = (variantId: string, days: number) =>
  box.db.query(
    `update variant_price_changes set created_at = created_at - $3 * interval '1 day'
      where tenant_id = $1 and variant_id = $2`,
    [variantId, days],
  );

t.test('each change of an amount or regular price is recorded with its actor, newest first', async (t) => {
  const id = await createVariant();
  const region = (await box.staff.post('/admin/regions', { name: 'R', currency: 'EUR' })).body.id;
  await put(id, { currency: 'EUR', amount: 1000 });
  await put(id, { currency: 'EUR', amount: 1000 }, { currency: 'EUR', regionId: region, amount: 900 });
  await bulk({ variantId: id, currency: 'EUR', amount: 800, compareAt: 1000 });
  await bulk({ variantId: id, currency: 'EUR', amount: 800, cost: 300 });
  await put(id, { currency: 'EUR', amount: 800, compareAt: 1000 });
  const { items } = await historyOf(id);
  t.strictSame(
    items.map(({ currency, regionId, amount, compareAt }: Record<string, unknown>) => [
      currency,
      regionId,
      amount,
      compareAt,
    ]),
    [
      ['EUR', region, null, null],
      ['EUR', null, 800, 1000],
      ['EUR', region, 900, null],
      ['EUR', null, 1000, null],
    ],
    'not a change of the cost',
  );
  t.ok(items.every(({ actor }: { actor: { type: string } }) => actor.type === 'staff'));
  const times = items.map(({ createdAt }: { createdAt: string }) => createdAt);
  t.strictSame(times, [...new Set(times)].sort().reverse());
  const first = await historyOf(id, '?limit=3');
  const second = await historyOf(id, `?limit=3&cursor=${first.nextCursor}`);
  t.strictSame([...first.items, ...second.items], items);
  t.equal(second.nextCursor, null);
  t.equal((await box.staff.get('/admin/variants/00000000-0000-7000-8000-000000000000/price-history')).status, 404);
  const other = await box.openTenant();
  t.equal((await other.staff.get(`/admin/variants/${id}/price-history`)).status, 404);
  t.equal((await box.visitor().get(`/admin/variants/${id}/price-history`)).status, 401);
  t.equal((await box.staff.delete(`/admin/regions/${region}`)).status, 204, 'a history does not hold a region');
});

t.test('a reduced price shows the regular price and the lowest of the 30 days before it', async (t) => {
  const id = await createVariant();
  await box.staff.post(`/admin/stock-items/${await stockItemOf(id)}/adjustments`, { quantity: 9, reason: 'received' });
  const shown = async () => {
    const { compareAtPrice, lowestPriorPrice } = (await box.visitor().get(`/variants/${id}`)).body;
    return [compareAtPrice?.amount ?? null, lowestPriorPrice?.amount ?? null];
  };
  await put(id, { currency: 'EUR', amount: 1000, compareAt: 1200 });
  t.strictSame(await shown(), [1200, null], 'a new product had no price before');
  await put(id, { currency: 'EUR', amount: 1000 });
  t.strictSame(await shown(), [null, null], 'no reduction');
  await age(id, 40);
  await put(id, { currency: 'EUR', amount: 900 });
  await age(id, 10);
  await put(id, { currency: 'EUR', amount: 1000 });
  await age(id, 5);
  await put(id, { currency: 'EUR', amount: 850, compareAt: 1000 });
  t.strictSame(await shown(), [1000, 900], 'the lowest of 30 days, not the last');

  await age(id, 60);
  await bulk({ variantId: id, currency: 'EUR', amount: 850, cost: 400 });
  t.strictSame(await shown(), [1000, 900], 'stays while the reduction lasts, and a change of the cost is none');
  await bulk({ variantId: id, currency: 'EUR', amount: 850, compareAt: 1100 });
  t.strictSame(await shown(), [1100, 900], 'another regular price begins no new reduction');
  await bulk({ variantId: id, currency: 'EUR', amount: 800 });
  t.strictSame(await shown(), [1100, 850], 'a further reduction has 30 days of its own');
  const shopper = box.shopper();
  const cart = await shopper.post('/cart/items', { variantId: id, quantity: 1 });
  t.match(cart.body.items, exactly([{ unitPrice: { amount: 800 }, lowestPriorPrice: { amount: 850 } }]));
  await bulk({ variantId: id, currency: 'EUR', amount: 1100 });
  t.strictSame(await shown(), [null, null], 'the regular price is not above the price');
  t.match((await shopper.get('/cart')).body.items, exactly([{ compareAtPrice: null, lowestPriorPrice: null }]));
  t.match(
    (await box.staff.get(path(id))).body.items,
    exactly([{ compareAt: 1100, lowestPrior: null }]),
    'but remains stored',
  );
  await bulk({ variantId: id, currency: 'EUR', amount: 1100, compareAt: 1150 });
  t.strictSame(await shown(), [1150, 800], 'a regular price for the present price shows that nothing was reduced');
});

t.test('concurrent changes lead to one sequence of changes', async (t) => {
  const id = await createVariant();
  const amounts = Array.from({ length: 12 }, (_, index) => 1000 + index);
  const set = (amount: number) => bulk({ variantId: id, currency: 'EUR', amount, compareAt: 2000 });
  t.strictSame(
    (await Promise.all(amounts.map(set))).map(({ status }) => status),
    amounts.map(() => 200),
  );
  const { items } = await historyOf(id, '?limit=50');
  const recorded = items.map(({ amount }: { amount: number }) => amount);
  t.strictSame([...recorded].sort(), amounts);
  const [price] = (await box.staff.get(path(id))).body.items;
  t.equal(price.amount, recorded[0], 'the last change is the price');
  t.equal(price.lowestPrior, Math.min(...recorded.slice(1)), 'and knows all that came before');
  const times = items.map(({ createdAt }: { createdAt: string }) => createdAt);
  t.equal(new Set(times).size, amounts.length);
});

t.test('the cost is seen by staff only', async (t) => {
  const id = await createVariant();
  const cost = 424_242;
  await put(id, { currency: 'EUR', amount: 1000, cost });
  t.match((await box.staff.get(path(id))).body.items, exactly([{ cost }]));
  await bulk({ variantId: id, currency: 'EUR', amount: 1100 });
  t.match((await box.staff.get(path(id))).body.items, exactly([{ amount: 1100, cost }]), 'omitted in bulk: unchanged');
  await bulk({ variantId: id, currency: 'EUR', amount: 1100, cost: null });
  t.match((await box.staff.get(path(id))).body.items, exactly([{ cost: null }]));
  await bulk({ variantId: id, currency: 'EUR', amount: 1100, cost });
  await put(id, { currency: 'EUR', amount: 1100 });
  t.match((await box.staff.get(path(id))).body.items, exactly([{ cost: null }]), 'omitted in a replacement: removed');
});

t.test('no response outside the admin API has a cost', async (t) => {
  const { paths, components } = (await callerOf(box.url).get('/docs/json')).body;
  const storefront = Object.entries(paths).filter(([path]) => !path.startsWith('/admin'));
  t.ok(storefront.length > 25);
  const properties = new Set<string>();
  const seen = new Set<string>();
  const walk = (schema: unknown): void => {
    if (schema === null || typeof schema !== 'object') return;
    const { $ref, properties: own = {} } = schema as { $ref?: string; properties?: object | null };
    if ($ref !== undefined && !seen.has($ref)) {
      seen.add($ref);
      walk(components.schemas[$ref.replace('#/components/schemas/', '')]);
    }
    for (const name of Object.keys(own ?? {})) properties.add(name);
    for (const value of Object.values(schema)) walk(value);
  };
  for (const [, operations] of storefront) {
    for (const { responses } of Object.values(operations as Record<string, { responses?: unknown }>)) walk(responses);
  }
  t.ok(properties.has('compareAtPrice'), 'schemas are found');
  t.strictSame(
    [...properties].filter((name) => /cost|margin/i.test(name)),
    [],
  );

  const id = await createVariant();
  const cost = 424_242;
  await put(id, { currency: 'EUR', amount: 1000, compareAt: 1200, cost });
  await box.staff.post(`/admin/stock-items/${await stockItemOf(id)}/adjustments`, { quantity: 9, reason: 'received' });
  const shopper = box.shopper();
  const { productId } = (await shopper.get(`/variants/${id}`)).body;
  const answers = [
    await shopper.get(`/variants/${id}`),
    await shopper.get(`/products/${productId}`),
    await shopper.get('/products'),
    await shopper.post('/cart/items', { variantId: id, quantity: 1 }),
    await shopper.get('/cart'),
    await shopper.get('/checkout'),
    await shopper.post('/checkout', { customer: { email: 'ada@example.com' } }),
  ];
  for (const { status, body } of answers) {
    t.ok(status < 300, String(status));
    t.notMatch(JSON.stringify(body), String(cost));
  }
});

async function stockItemOf(variantId: string): Promise<string> {
  return (await box.staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items[0].id;
}
