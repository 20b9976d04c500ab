/**
 * Reference data in memory, in a box with the basic tier and a replica: whatever staff change is what the next cart is
 * priced with, in both.
 */
import { createForSale } from '@carton/cart/testing';
import { keepsReferenceData, referenceQuery, referenceVersion, type TenantDatabase } from '@carton/runtime';
import { bodyOf, createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { goodsTables, referenceTables, writesOf } from '../../runtime/db/reference-data.ts';
import { startBox } from '../../runtime/start-box.ts';
import { callerOf } from '../../runtime/testing/client.ts';
import { packagesOfTier, sourceRoot, withDependencies } from '../../runtime/testing/packages.ts';

const box = await createTestBox(t, { tier: 'basic' });
const other = await box.openTenant();
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
const region = await bodyOf(staff.post('/admin/regions', { name: 'France', currency: 'EUR', countries: ['FR'] }));
const rate = await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country: 'FR', rate: 20 }));
const { variantId, productId } = await createForSale(box, 1000);
const flat = (amount: number) => ({ rates: [{ currency: 'EUR', amount }] });
const option = await bodyOf(
  staff.post('/admin/shipping-options', { code: 'standard', name: 'Standard', type: 'flat', ...flat(500) }),
);

const shopper = box.shopper();
await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
await bodyOf(shopper.patch('/cart', { regionId: region.id }));
const address = { name: 'Ada', line1: '1 Way', city: 'Lyon', country: 'FR' };
await bodyOf(shopper.put('/cart/shipping-address', address));
await bodyOf(shopper.put('/cart/shipping-method', { optionId: option.id }));
const shoppers = [shopper, callerOf(replica.url, shopper.headers)];

/** Subtotal, discount, shipping, tax and total of the cart, as both boxes compute them. */
async function amounts(): Promise<number[][]> {
  return Promise.all(
    shoppers.map(async (each) => {
      const { subtotal, discount, shipping, tax, total } = (await bodyOf(each.get('/cart'))).totals;
      return [subtotal, discount, shipping, tax, total].map(({ amount }: { amount: number }) => amount);
    }),
  );
}

const versionOf = async (db: TenantDatabase) => {
  const [row] = await db.query<{ version: string }>(`select ${referenceVersion} as version`);
  return (row as { version: string }).version;
};

/** Sets the price of a variant, and that in the region. */
const setPrice = (id: string, amount: number, inRegion?: number) =>
  bodyOf(
    staff.put(`/admin/variants/${id}/prices`, {
      prices: [
        { currency: 'EUR', amount },
        ...(inRegion === undefined ? [] : [{ currency: 'EUR', regionId: region.id, amount: inRegion }]),
      ],
    }),
  );

const setStatus = (status: string) => bodyOf(staff.patch(`/admin/products/${productId}`, { status }));

/** Reads the tax rates among pipelined reads that know the version. */
function readRates(tenant: TestTenant) {
  return tenant.db.pipelined(async (one) => {
    one.knowReferenceVersion(await versionOf(one));
    return one.readReference<{ rate: number }>(ratesQuery);
  });
}
const ratesQuery = referenceQuery('select rate::float8 as rate from tax_rates where tenant_id = $1 order by code');

t.test('the reference tables', async (t) => {
  t.strictSame(referenceTables(), [
    'promotions',
    'region_countries',
    'regions',
    'shipping_options',
    'shipping_profiles',
    'shipping_rates',
    'shipping_zone_places',
    'shipping_zones',
    'stores',
    'tax_categories',
    'tax_rate_postal_codes',
    'tax_rates',
  ]);
});

t.test('the tables of the goods', async (t) => {
  t.strictSame(goodsTables(), ['product_variants', 'products', 'variant_prices']);
});

t.test('each change is in the next price, in every box', async (t) => {
  let promotion: { id: string };
  let zone: { id: string };
  const changes: [name: string, change: () => Promise<unknown>, expected: number[]][] = [
    ['nothing', async () => {}, [1000, 0, 500, 300, 1800]],
    ['a rate of tax', () => staff.patch(`/admin/tax-rates/${rate.id}`, { rate: 10 }), [1000, 0, 500, 150, 1650]],
    [
      'a price of shipping',
      () => staff.patch(`/admin/shipping-options/${option.id}`, flat(200)),
      [1000, 0, 200, 120, 1320],
    ],
    [
      'prices with tax',
      () => staff.patch(`/admin/regions/${region.id}`, { taxInclusive: true }),
      [1000, 0, 200, 109, 1200],
    ],
    [
      'prices without tax',
      () => staff.patch(`/admin/regions/${region.id}`, { taxInclusive: false }),
      [1000, 0, 200, 120, 1320],
    ],
    [
      'a promotion',
      async () => {
        const discount = { kind: 'percent', percent: 10 };
        promotion = await bodyOf(staff.post('/admin/promotions', { label: 'Ten', automatic: true, discount }));
      },
      [1000, -100, 200, 110, 1210],
    ],
    ['its end', () => staff.delete(`/admin/promotions/${promotion.id}`), [1000, 0, 200, 120, 1320]],
    [
      'a zone elsewhere',
      async () => {
        zone = await bodyOf(staff.post('/admin/shipping-zones', { name: 'Spain', places: [{ country: 'ES' }] }));
        await bodyOf(staff.patch(`/admin/shipping-options/${option.id}`, { zoneId: zone.id }));
      },
      [1000, 0, 0, 100, 1100],
    ],
    [
      'a zone here',
      () => staff.patch(`/admin/shipping-zones/${zone.id}`, { places: [{ country: 'ES' }, { country: 'FR' }] }),
      [1000, 0, 200, 120, 1320],
    ],
    ['no rate of tax', () => staff.delete(`/admin/tax-rates/${rate.id}`), [1000, 0, 200, 0, 1200]],
    ['a price', () => setPrice(variantId, 1500), [1500, 0, 200, 0, 1700]],
    ['a price of the region', () => setPrice(variantId, 1500, 1100), [1100, 0, 200, 0, 1300]],
    ['no price of the region', () => setPrice(variantId, 1000), [1000, 0, 200, 0, 1200]],
    ['a draft', () => setStatus('draft'), [0, 0, 0, 0, 0]],
    ['a published product', () => setStatus('published'), [1000, 0, 200, 0, 1200]],
  ];
  for (const [name, change, expected] of changes) {
    await change();
    // The second time from memory.
    t.strictSame([await amounts(), await amounts()].flat(), [expected, expected, expected, expected], name);
  }
});

t.test('a shopper who chooses again is priced by the new choice', async (t) => {
  const express = { code: 'express', name: 'Express', type: 'flat', ...flat(900) };
  const { id } = await bodyOf(staff.post('/admin/shipping-options', express));
  for (const [optionId, expected] of [
    [id, 1900],
    [option.id, 1200],
    [id, 1900],
  ] as const) {
    // biome-ignore format: short
    const { totals } = await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
    t.equal(totals.total.amount, expected);
    t.strictSame((await amounts()).map(([, , , , total]) => total), [expected, expected]); // biome-ignore format: short
  }
});

t.test('results are shared at one version, by one tenant, and cannot be changed', async (t) => {
  for (const tenant of [box, other]) {
    await bodyOf(tenant.staff.post('/admin/tax-rates', { code: 'one', name: 'One', country: 'ES', rate: 1 }));
  }
  await bodyOf(other.staff.post('/admin/tax-rates', { code: 'two', name: 'Two', country: 'ES', rate: 2 }));
  const [first, second, theirs] = [await readRates(box), await readRates(box), await readRates(other)];
  t.equal(second, first);
  t.strictSame([first, theirs], [[{ rate: 1 }], [{ rate: 1 }, { rate: 2 }]]);
  t.throws(() => (first as { rate: number }[]).push({ rate: 3 }), TypeError);
  t.throws(() => Object.assign(first[0] as object, { rate: 3 }), TypeError);
});

t.test('a transaction reads what it has written, and shares it once it is committed', async (t) => {
  const before = await readRates(box);
  const version = await versionOf(box.db);
  const write = (tx: TenantDatabase) => tx.update('tax_rates', { code: 'one' }, { rate: 7 });
  const readInside = async (tx: TenantDatabase) => {
    tx.knowReferenceVersion(await versionOf(tx));
    t.equal(await tx.readReference(ratesQuery), before);
    await write(tx);
    t.strictSame(await tx.readReference(ratesQuery), [{ rate: 7 }]);
    t.equal(await readRates(box), before);
  };
  await t.rejects(
    box.db.transaction(async (tx) => {
      await readInside(tx);
      throw new Error('rolled back');
    }),
    { message: 'rolled back' },
  );
  t.equal(await versionOf(box.db), version);
  t.equal(await readRates(box), before);
  await box.db.transaction(readInside);
  t.strictSame(await readRates(box), [{ rate: 7 }]);
});

t.test('whatever writes reference data replaces the version', async (t) => {
  const writes: [text: string, replaces: boolean][] = [
    ["update stores set name = 'New' where tenant_id = $1", true],
    ['with gone as (delete from tax_rates where tenant_id = $1 and rate > 100) select 1', true],
    ["update promotions set claimed = 1, status = 'draft' where tenant_id = $1 and id = $1", true],
    ["update only stores set name = 'Only' where tenant_id = $1", true],
    ["update stores set (name) = row('Listed') where tenant_id = $1", true],
    ["UPDATE Stores AS s SET name = 'Capital' WHERE tenant_id = $1", true],
    ["update /* all */ public . stores set name = 'Commented' where tenant_id = $1", true],
    ['delete from only tax_rates where tenant_id = $1 and rate > 100', true],
    [
      `merge into stores using (select $1::uuid as id) mine on stores.tenant_id = mine.id
         when matched then update set name = 'Merged'`,
      true,
    ],
    ["with a(x) as (select 1), b as (update only stores set name = 'Part' where tenant_id = $1) select from a", true],
    [keepsReferenceData('update promotions set claimed = claimed + 1 where tenant_id = $1 and id = $1'), false],
    ['select from tax_rates where tenant_id = $1 for no key update', false],
    ['select from tax_rates where tenant_id = $1 for update', false],
    ['update carts set note = null where tenant_id = $1', false],
  ];
  for (const [text, replaces] of writes) {
    t.equal(writesOf(text).reference, replaces, text);
    const before = await versionOf(box.db);
    await box.db.query(text);
    t.equal((await versionOf(box.db)) !== before, replaces, text);
  }
});

t.test('a shopper who fills a cart replaces no version', async (t) => {
  const before = await versionOf(box.db);
  const another = box.shopper();
  await bodyOf(another.post('/cart/items', { variantId, quantity: 1 }));
  await bodyOf(another.put('/cart/shipping-address', address));
  await bodyOf(another.put('/cart/shipping-method', { optionId: option.id }));
  t.equal(await versionOf(box.db), before);
});

t.test('truncate and copy, which take no parameter, count as writing too', async (t) => {
  for (const text of ['truncate tax_rates', 'copy stores from stdin']) t.ok(writesOf(text).reference, text);
});

t.test('a test box refuses a statement that keeps the version and writes what is read', async (t) => {
  const before = await versionOf(box.db);
  const text = keepsReferenceData("update stores set name = 'Unseen' where tenant_id = $1");
  await t.rejects(box.db.query(text), { message: /written stores without replacing the version/ });
  t.equal(await versionOf(box.db), before);
  t.strictSame(await box.db.query("select from stores where tenant_id = $1 and name = 'Unseen'"), []);
});

t.test('a price never lags behind a change that has been answered', async (t) => {
  const { id } = await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country: 'FR', rate: 1 }));
  let isOver = false;
  const keepReading = async (each: (typeof shoppers)[number]) => {
    while (!isOver) await bodyOf(each.get('/cart'));
  };
  const readers = shoppers.map(keepReading);
  for (let percent = 2; percent <= 40; percent++) {
    await bodyOf(staff.patch(`/admin/tax-rates/${id}`, { rate: percent }));
    t.strictSame((await amounts()).map(([, , , tax]) => tax), [19 * percent, 19 * percent]); // biome-ignore format: short
  }
  isOver = true;
  await Promise.all(readers);
});

t.test('a tenant whose data is being removed gets no version', async (t) => {
  const leaving = await box.openTenant();
  await box.owner.query('update tenants set removal_started_at = now() where id = $1', [leaving.id]);
  await box.owner.query('delete from reference_versions where tenant_id = $1', [leaving.id]);
  await leaving.db.query("update stores set name = 'Left' where tenant_id = $1");
  t.strictSame(await box.owner.query('select from reference_versions where tenant_id = $1', [leaving.id]), []);
});

t.test('the sitemap has what staff change, in both boxes', async (t) => {
  const { headers } = box.visitor();
  const titled = (title: string) => ({ title, status: 'published' });
  const counts = () =>
    Promise.all(
      [box, replica].map(async ({ url }) => {
        const response = await fetch(`${url}/sitemap.xml`, { headers });
        return (await response.text()).split('<loc>').length - 1;
      }),
    );
  const [before = 0] = await counts();
  t.strictSame(await counts(), [before, before]);
  const product = await bodyOf(staff.post('/admin/products', titled('Mug')));
  t.strictSame(await counts(), [before + 1, before + 1]);
  const page = await bodyOf(callerOf(replica.url, staff.headers).post('/admin/pages', titled('About us')));
  t.strictSame(await counts(), [before + 2, before + 2]);
  await staff.delete(`/admin/pages/${page.id}`);
  await callerOf(replica.url, staff.headers).delete(`/admin/products/${product.id}`);
  t.strictSame(await counts(), [before, before]);
});
