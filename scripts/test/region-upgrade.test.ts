/**
 * Starts the database of release 0.2.0 with this one: open carts are priced in the region that applies to them, and the
 * store keeps its settings.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, type Caller, callerOf, createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { startUpgraded, undoLaterMigrations } from './support/former-schema.ts';

const former = await createTestBox(t, { idleJobs: true });
const run = (text: string, values: unknown[]) => former.owner.query(text, values);

/** What carts show before and after: region, currency, issues and total. */
interface ShownCart {
  shopper: Caller;
  tenant: TestTenant;
  regionId: string | null;
  currency: string;
  issues: string[];
  total: number;
}
const carts = new Map<string, ShownCart>();
// A store of the former release has the defaults of before; the change of its name has the box read it again.
await run('update stores set default_version = 1 where tenant_id = $1', [former.id]);
await former.staff.patch('/admin/store', { name: 'Former' });
const { body: settingsBefore } = await former.staff.get('/admin/store');

async function fillCarts(): Promise<void> {
  const [store, plain] = [former, await former.openTenant()];
  const amount = 1000;
  const articles = new Map<TestTenant, string>();
  for (const tenant of [store, plain]) {
    const { variantId } = await createForSale(tenant, amount, { currencies: ['EUR', 'USD', 'CHF'] });
    articles.set(tenant, variantId);
  }
  const add = async (name: string, tenant: TestTenant, expected: Omit<ShownCart, 'shopper' | 'tenant'>) => {
    const shopper = await shopperWith(tenant, [articles.get(tenant) as string, 1]);
    carts.set(name, { shopper, tenant, ...expected });
    return shopper;
  };
  const unchanged = { issues: [], total: amount };
  await add('of a store without regions', plain, { regionId: null, currency: 'EUR', ...unchanged });
  const dollars = await add('in a currency without a region', store, {
    ...{ regionId: null, currency: 'EUR', issues: ['currency_changed'], total: amount },
  });
  await bodyOf(dollars.patch('/cart', { currency: 'USD' }));
  const empty = await add('that is empty', store, { regionId: null, currency: 'EUR', issues: [], total: 0 });
  await bodyOf(empty.patch('/cart', { currency: 'USD' }));
  await empty.delete('/cart');
  const region = async (currency: string, countries: string[]): Promise<string> =>
    (await bodyOf(store.staff.post('/admin/regions', { name: currency, currency, countries }))).id;
  const [euro, franc] = [await region('EUR', ['FR', 'DE']), await region('CHF', ['CH'])];
  for (const { tenant, regionId, ...cart } of carts.values()) {
    if (tenant === store) Object.assign(cart, { regionId: euro });
  }
  const address = (country: string) => ({ name: 'Ada', line1: '12 Rue', city: 'Lyon', country });
  await add('without a region', store, { regionId: euro, currency: 'EUR', ...unchanged });
  const german = await add('to a country of the default region', store, {
    ...{ regionId: euro, currency: 'EUR', ...unchanged },
  });
  await bodyOf(german.put('/cart/shipping-address', address('DE')));
  const swiss = await add('to a country of another region', store, {
    ...{ regionId: franc, currency: 'CHF', issues: ['currency_changed'], total: amount },
  });
  await bodyOf(swiss.put('/cart/shipping-address', address('CH')));
  const chosen = await add('with a region', store, { regionId: franc, currency: 'CHF', ...unchanged });
  await bodyOf(chosen.patch('/cart', { regionId: franc }));
  for (const name of ['in a currency without a region', 'that is empty']) {
    Object.assign(carts.get(name) as ShownCart, { regionId: euro });
  }
}

await fillCarts();
await undoLaterMigrations(former);
const { upgraded, staff } = await startUpgraded(t, former);

t.test('carts are priced in the region that applies to them', async (t) => {
  for (const [name, { shopper, regionId, currency, issues, total }] of carts) {
    const { body } = await callerOf(upgraded.url, shopper.headers).get('/cart');
    t.match(
      body,
      { regionId, currency, issues: exactly(issues), totals: { total: { amount: total, currency } } },
      name,
    );
  }
});

t.test('the store keeps its settings', async (t) => {
  t.strictSame((await bodyOf(staff.get('/admin/store'))).settings, settingsBefore.settings);
});
