/**
 * Products filtered and sorted by price.
 */
import { createTestBox, raceRounds, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'region', 'product', 'pricing'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });

interface Made {
  id: string;
  variants: string[];
}

/** Creates a published product whose variants have these prices in EUR; null for none. */
async function create(
  { staff }: Pick<TestTenant, 'staff'>,
  handle: string,
  amounts: (number | null)[],
  fields: object = {},
): Promise<Made> {
  const options = [{ name: 'Size', values: amounts.map((_, at) => `S${at}`) }];
  const { body } = await staff.post('/admin/products', {
    title: handle,
    handle,
    status: 'published',
    options,
    ...fields,
  });
  const variants = body.variants.map(({ id }: { id: string }) => id);
  for (const [at, amount] of amounts.entries()) if (amount !== null) await price({ staff }, variants[at], { amount });
  return { id: body.id, variants };
}

async function price({ staff }: Pick<TestTenant, 'staff'>, variantId: string, ...prices: object[]): Promise<void> {
  const { status } = await staff.put(`/admin/variants/${variantId}/prices`, {
    prices: prices.map((each) => ({ currency: 'EUR', ...each })),
  });
  if (status !== 200) throw new Error(`the price was not set: ${status}`);
}

const find = async ({ visitor }: Pick<TestTenant, 'visitor'>, query: string): Promise<string[]> => {
  const { body } = await visitor().get(`/products?${query}`);
  return body.items.map(({ handle }: { handle: string }) => handle);
};

/** The handles of all pages. @param between called after each page */
async function walk({ visitor }: TestTenant, query: string, between = async () => {}): Promise<string[][]> {
  const pages = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await visitor().get(`/products?${query}${cursor && `&cursor=${cursor}`}`);
    pages.push(body.items.map(({ handle }: { handle: string }) => handle));
    cursor = body.nextCursor;
    await between();
  }
  return pages;
}

/** The stored lowest prices, and those computed from the prices of all variants and regions. */
async function lowestOf(tenantId: string) {
  const stored = await box.owner.query(
    'select product_id, currency, region_id, amount from product_prices where tenant_id = $1 order by 1, 2, 3',
    [tenantId],
  );
  const computed = await box.owner.query(
    `select product_id, currency, place as region_id, min(amount) as amount
       from (select variants.product_id, variants.id, places.currency, places.place,
                    (select amount from variant_prices prices
                      where prices.tenant_id = $1 and prices.variant_id = variants.id and prices.currency = places.currency
                        and (prices.region_id is null or prices.region_id = places.place)
                      order by prices.region_id nulls last limit 1) as amount
               from product_variants variants
              cross join (select distinct currency, '00000000-0000-0000-0000-000000000000'::uuid as place
                            from variant_prices where tenant_id = $1
                          union select distinct currency, region_id from variant_prices
                           where tenant_id = $1 and region_id is not null) places
              where variants.tenant_id = $1 and variants.deleted_at is null) offered
      where amount is not null group by 1, 2, 3 order by 1, 2, 3`,
    [tenantId],
  );
  return { stored, computed };
}

t.test('the lowest price of the variants filters and sorts, ties by id, page by page', async (t) => {
  const tenant = await box.openTenant();
  await create(box, 'theirs', [1]);
  await create(tenant, 'hat', [3000, 1000]);
  await create(tenant, 'coat', [9000]);
  await create(tenant, 'shirt', [2000, null]);
  await create(tenant, 'gift', [0]);
  await create(tenant, 'unpriced', [null]);
  await create(tenant, 'draft', [1500], { status: 'draft' });
  await create(tenant, 'blouse', [2000]);
  const dollars = await create(tenant, 'dollars', [null]);
  await price(tenant, dollars.variants[0] as string, { currency: 'USD', amount: 500 });

  const rising = ['gift', 'hat', 'shirt', 'blouse', 'coat'];
  t.strictSame(await find(tenant, 'sort=price'), rising);
  t.strictSame(await find(tenant, 'sort=-price'), rising.toReversed());
  for (const limit of [1, 2, 3]) {
    t.strictSame((await walk(tenant, `sort=price&limit=${limit}`)).flat(), rising);
    t.strictSame((await walk(tenant, `sort=-price&limit=${limit}`)).flat(), rising.toReversed());
  }
  t.strictSame(await find(tenant, 'sort=price&currency=USD'), ['dollars']);
  t.strictSame(await find(tenant, 'sort=price&currency=GBP'), []);

  t.strictSame(await find(tenant, 'priceMin=1000&priceMax=2000'), ['blouse', 'shirt', 'hat'], 'ends belong to it');
  t.strictSame(await find(tenant, 'priceMin=1001&priceMax=1999'), []);
  t.strictSame(await find(tenant, 'priceMin=1001&sort=oldest'), ['coat', 'shirt', 'blouse']);
  t.strictSame(await find(tenant, 'priceMax=1999&sort=title'), ['gift', 'hat']);
  t.strictSame(await find(tenant, 'priceMax=0'), ['gift']);
  t.strictSame(await find(tenant, 'priceMin=3000&priceMax=2000'), []);
  t.strictSame(await find(tenant, 'priceMax=1000&currency=USD'), ['dollars']);
  t.strictSame(await find(tenant, 'sort=price&priceMin=1000&priceMax=2000'), ['hat', 'shirt', 'blouse']);
  t.strictSame(await walk(tenant, 'sort=-price&priceMin=1000&priceMax=2000&limit=2'), [['blouse', 'shirt'], ['hat']]);
  t.strictSame(await walk(tenant, 'priceMin=1000&limit=2'), [
    ['blouse', 'shirt'],
    ['coat', 'hat'],
  ]);
  for (const refused of ['priceMin=-1', 'priceMax=1.5', 'priceMin=x', 'sort=+price']) {
    t.match(await tenant.visitor().get(`/products?${refused}`), { status: 400 });
  }
});

t.test('beside other filters', async (t) => {
  const tenant = await box.openTenant();
  const alder = { brand: 'Alder', tags: ['linen'] };
  await create(tenant, 'linen-hat', [1000], alder);
  await create(tenant, 'linen-coat', [9000], { ...alder, type: 'Coat' });
  await create(tenant, 'linen-shirt', [2000], { ...alder, brand: 'Birch' });
  await create(tenant, 'wool-hat', [1500], { brand: 'Alder', tags: ['wool'] });
  t.strictSame(await find(tenant, 'tag=linen&sort=price'), ['linen-hat', 'linen-shirt', 'linen-coat']);
  t.strictSame(await find(tenant, 'tag=linen&sort=-price&priceMax=2000'), ['linen-shirt', 'linen-hat']);
  t.strictSame(await find(tenant, 'tag=wool&priceMin=1501'), []);
  t.strictSame(await find(tenant, 'brand=Alder&sort=price'), ['linen-hat', 'wool-hat', 'linen-coat']);
  t.strictSame(await find(tenant, 'brand=Alder&type=Coat&sort=price'), ['linen-coat']);
  t.strictSame(await find(tenant, 'brand=Alder&priceMax=1500'), ['wool-hat', 'linen-hat']);
  t.strictSame(await find(tenant, 'brand=Birch&priceMax=1500'), []);
  t.strictSame(await find(tenant, 'q=hat&sort=-price'), ['wool-hat', 'linen-hat']);
  t.strictSame(await find(tenant, 'q=linen&sort=price&priceMin=1001'), ['linen-shirt', 'linen-coat']);
  t.strictSame(await find(tenant, 'q=linen&brand=Birch&sort=price'), ['linen-shirt']);
  t.strictSame(await find(tenant, 'q=linen&priceMax=2000&tag=linen'), ['linen-shirt', 'linen-hat']);
  t.strictSame(await find(tenant, 'handle=linen-hat&sort=price'), ['linen-hat']);
  t.strictSame(await find(tenant, 'handle=linen-hat&priceMin=1001'), []);
  t.strictSame(await walk(tenant, 'tag=linen&brand=Alder&sort=price&limit=1'), [['linen-hat'], ['linen-coat']]);
});

t.test('a price of a region takes precedence there, as in responses', async (t) => {
  const { body: france } = await box.staff.post('/admin/regions', { name: 'France', currency: 'EUR' });
  const { body: spain } = await box.staff.post('/admin/regions', { name: 'Spain', currency: 'EUR' });
  const hat = await create(box, 'hat', [1000]);
  await create(box, 'coat', [2000]);
  const scarf = await create(box, 'scarf', [3000, 1500]);
  const inFrance = `regionId=${france.id}`;
  const list = (query: string) => find(box, `priceMin=2&${query}`);
  t.strictSame(await list(`sort=price&${inFrance}`), ['hat', 'scarf', 'coat'], 'no prices of its own');
  await price(box, hat.variants[0] as string, { amount: 1000 }, { amount: 2500, regionId: france.id });
  t.strictSame(await list(`sort=price&${inFrance}`), ['scarf', 'coat', 'hat']);
  t.strictSame(await list('sort=price'), ['hat', 'scarf', 'coat']);
  t.strictSame(await list(`sort=price&regionId=${spain.id}`), ['hat', 'scarf', 'coat']);
  t.strictSame(await list(`priceMax=2000&${inFrance}`), ['scarf', 'coat']);
  const spanish = { amount: 100, regionId: spain.id };
  await price(box, scarf.variants[1] as string, { amount: 4000 }, { amount: 4500, regionId: france.id }, spanish);
  t.strictSame(await list(`sort=price&${inFrance}`), ['coat', 'hat', 'scarf']);
  t.strictSame(await list(`sort=price&regionId=${spain.id}`), ['scarf', 'hat', 'coat']);
  await create(box, 'belt', [1700]);
  t.strictSame(await list(`sort=price&${inFrance}`), ['belt', 'coat', 'hat', 'scarf'], 'a new product without one');
  await price(box, hat.variants[0] as string, { amount: 1000 });
  await price(box, scarf.variants[1] as string, { amount: 1500 });
  t.strictSame(await list(`sort=price&${inFrance}`), ['hat', 'scarf', 'belt', 'coat'], 'no prices of its own again');
  const { stored, computed } = await lowestOf(box.id);
  t.strictSame(stored, computed);
  t.match(await box.visitor().get(`/products?sort=price&${inFrance}&currency=USD`), { status: 400 });
  t.match(await box.visitor().get(`/products?priceMin=1&regionId=${hat.id}`), { status: 400 });
});

t.test('follows changes of prices, variants and products', async (t) => {
  const tenant = await box.openTenant();
  const hat = await create(tenant, 'hat', [1000, 3000]);
  const coat = await create(tenant, 'coat', [2000]);
  const list = () => find(tenant, 'sort=price');
  t.strictSame(await list(), ['hat', 'coat']);
  await price(tenant, hat.variants[0] as string, { amount: 2500 });
  t.strictSame(await list(), ['coat', 'hat']);
  await tenant.staff.post('/admin/prices/bulk', {
    prices: [
      { variantId: hat.variants[1], currency: 'EUR', amount: 100 },
      { variantId: coat.variants[0], currency: 'EUR', amount: 200 },
    ],
  });
  t.strictSame(await list(), ['hat', 'coat']);
  t.strictSame(await find(tenant, 'priceMax=100'), ['hat']);
  await tenant.staff.delete(`/admin/variants/${hat.variants[1]}`);
  t.strictSame(await list(), ['coat', 'hat'], 'the price of a deleted variant does not count');
  const added = await tenant.staff.post(`/admin/products/${hat.id}/variants`, {
    options: [{ name: 'Size', value: 'S1' }],
  });
  t.strictSame(await list(), ['coat', 'hat'], 'a variant without a price does not count');
  await price(tenant, added.body.id, { amount: 1 });
  t.strictSame(await list(), ['hat', 'coat']);
  await price(tenant, coat.variants[0] as string);
  t.strictSame(await list(), ['hat'], 'without a price');
  await price(tenant, coat.variants[0] as string, { amount: 300 });
  await tenant.staff.patch(`/admin/products/${coat.id}`, { status: 'draft' });
  t.strictSame([await list(), await find(tenant, 'priceMin=1')], [['hat'], ['hat']]);
  await tenant.staff.patch(`/admin/products/${coat.id}`, { status: 'published' });
  t.strictSame(await list(), ['hat', 'coat']);
  await tenant.staff.delete(`/admin/products/${hat.id}`);
  t.strictSame(await list(), ['coat']);
  const { stored, computed } = await lowestOf(tenant.id);
  t.strictSame(stored, computed);
  t.equal(stored.length, 1, 'nothing is left of the deleted product');
});

t.test('while prices change between pages, products keep their place as far as their price does', async (t) => {
  const tenant = await box.openTenant();
  const made: Made[] = [];
  for (const at of [1, 2, 3, 4, 5]) made.push(await create(tenant, `p${at}`, [at * 100]));
  const change = async (at: number, amount: number) => price(tenant, made[at - 1]?.variants[0] as string, { amount });
  let page = 0;
  const pages = await walk(tenant, 'sort=price&limit=2', async () => {
    page++;
    // A price on this side of the cursor and one beyond it.
    if (page === 1) await Promise.all([change(1, 150), change(4, 600)]);
  });
  t.strictSame(pages, [['p1', 'p2'], ['p3', 'p5'], ['p4']]);
});

t.test('of changes at the same time, the lowest price is that of the last', async (t) => {
  const tenant = await box.openTenant();
  const { variants } = await create(tenant, 'raced', [1000, 2000, 3000]);
  const [first, second, third] = variants as [string, string, string];
  const { body: region } = await tenant.staff.post('/admin/regions', { name: 'Europe', currency: 'EUR' });
  const put = (variantId: string, prices: object[]) =>
    tenant.staff.put(
      `/admin/variants/${variantId}/prices`,
      { prices: prices.map((each) => ({ currency: 'EUR', ...each })) },
      // With the header the change is a serializable transaction.
      { headers: { 'If-Match': '*' } },
    );
  for (let round = 0; round < raceRounds; round++) {
    const regional = round % 2 === 0 ? [{ amount: round + 1, regionId: region.id }] : [];
    const answers = await Promise.all([
      put(first, [{ amount: 5000 - round }]),
      put(second, [{ amount: 2000 + round }, ...regional]),
      tenant.staff.post('/admin/prices/bulk', {
        prices: [{ variantId: third, currency: 'EUR', amount: 3000 - ((round * 700) % 2900) }],
      }),
    ]);
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const { stored, computed } = await lowestOf(tenant.id);
    t.strictSame(stored, computed);
  }
  const answers = await Promise.all([
    tenant.staff.delete(`/admin/variants/${second}`),
    put(first, [{ amount: 7000 }]),
    put(third, [{ amount: 8000 }]),
  ]);
  t.strictSame(
    answers.map(({ status }) => status),
    [204, 200, 200],
  );
  t.strictSame(await find(tenant, 'sort=price&priceMin=7000&priceMax=7000'), ['raced']);
  const { stored, computed } = await lowestOf(tenant.id);
  t.strictSame(stored, computed);
});

t.test('the migration computes the lowest prices of existing products', async (t) => {
  const before = (await lowestOf(box.id)).stored;
  t.ok(before.length > 3);
  const file = new URL('../migrations/20261123120000_pricing_add_product_prices.js', import.meta.url);
  const { up, down } = await import(file.href);
  const knex = { raw: (sql: string) => sql };
  for (const statement of [down(knex), ...up(knex).split(/;\n/)]) {
    if (statement.trim() !== '') await box.owner.query(`do $do$ begin ${statement}; end $do$`);
  }
  t.strictSame((await lowestOf(box.id)).stored, before);
});
