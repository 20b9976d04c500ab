/**
 * A region sells only to its countries. A shopper may resolve a mismatch by changing the region or the address.
 */
import { findCart, priceCart, type StoredCart, setPickupAddress } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, exactly, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { forSale, withOpenTransaction } from './helpers.ts';

const box = await createTestBox(t);
const sells = async (name: string, countries: string[]): Promise<string> =>
  (await box.staff.post('/admin/regions', { name, currency: 'EUR', countries })).body.id;
const [europe, alps, nowhere] = [
  await sells('Europe', ['FR', 'DE']),
  await sells('Alps', ['CH']),
  await sells('Nowhere', []),
];
const shirt = await forSale(box);
const address = (country: string) => ({ name: 'Ada', line1: '12 Rue', city: 'Lyon', country });
const buyer = { customer: { email: 'ada@example.com' } };

t.test(
  'region and address are set in any order; while they do not match, the cart has an issue and cannot be ordered',
  async (t) => {
    const shopper = await shopperWith(box, [shirt, 1]);
    const issues = async () => (await shopper.get('/cart')).body.issues;
    t.match(await shopper.patch('/cart', { regionId: europe }), { status: 200, body: { issues: exactly([]) } });
    t.strictSame(await issues(), [], 'no issue without a shipping address');
    const set = await shopper.put('/cart/shipping-address', address('CH'));
    t.strictSame([set.status, set.body.issues], [200, ['country_not_served']]);
    t.strictSame(await issues(), ['country_not_served']);
    const detail = 'Europe does not sell to Switzerland. Choose another region or another address.';
    t.match((await shopper.get('/checkout')).body, { ready: false });
    t.strictSame((await shopper.get('/checkout')).body.requirements, [
      { code: 'country_not_served', detail, pointer: '/customer/address' },
    ]);
    t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'country_not_served', detail } });

    t.strictSame((await shopper.patch('/cart', { regionId: alps })).body.issues, [], 'another region');
    t.strictSame((await shopper.patch('/cart', { regionId: europe })).body.issues, ['country_not_served']);
    t.strictSame((await shopper.put('/cart/shipping-address', address('DE'))).body.issues, [], 'or another address');
    t.strictSame((await shopper.get('/checkout')).body.requirements, []);
    t.equal((await shopper.post('/checkout', buyer)).status, 201);
  },
);

t.test('a region without countries sells nowhere', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await shopper.put('/cart/shipping-address', address('DE'));
  t.strictSame((await shopper.get('/cart')).body.issues, []);
  t.strictSame((await shopper.patch('/cart', { regionId: nowhere })).body.issues, ['country_not_served']);
  t.strictSame((await shopper.patch('/cart', { regionId: null })).body.issues, []);
});

t.test('a region that drops a country no longer sells to carts shipped there', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await shopper.patch('/cart', { regionId: europe });
  await shopper.put('/cart/shipping-address', address('FR'));
  t.strictSame((await shopper.get('/checkout')).body.requirements, []);
  await box.staff.patch(`/admin/regions/${europe}`, { countries: ['DE'] });
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'country_not_served' } });
});

t.test('a place of pickup takes the place of the shipping address, also of one sent with the order', async (t) => {
  const alpine = await sells('Alpine', ['AT']);
  const shopper = await shopperWith(box, [shirt, 1]);
  await shopper.patch('/cart', { regionId: alpine });
  const { id } = (await shopper.put('/cart/shipping-address', address('US'))).body;
  const pickUpIn = (country: string | null) =>
    setPickupAddress(box.db, id, country === null ? null : { country, province: null, postalCode: null });
  const issues = async () => (await shopper.get('/cart')).body.issues;
  t.strictSame(await issues(), ['country_not_served']);
  await pickUpIn('AT');
  t.strictSame(await issues(), []);
  const { sale } = await priceCart(box.db, (await findCart(box.db, id)) as StoredCart, { shippingAddress: null });
  t.match(sale, { shippingAddress: { country: 'AT' }, deliveryAddress: null });
  await pickUpIn('LI');
  t.strictSame(await issues(), ['country_not_served']);
  await pickUpIn(null);
  await shopper.put('/cart/shipping-address', address('AT'));
  t.strictSame(await issues(), []);
  await pickUpIn('LI');
  const ordered = { customer: { ...buyer.customer, address: address('AT') } };
  t.match(await shopper.post('/checkout', ordered), { status: 409, body: { code: 'country_not_served' } });
  await pickUpIn('AT');
  t.match(await shopper.post('/checkout', { customer: { ...buyer.customer, address: 'Far away' } }), { status: 201 });
});

t.test('the billing country does not matter', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await shopper.patch('/cart', { regionId: alps });
  t.strictSame((await shopper.put('/cart/billing-address', address('US'))).body.issues, []);
});

t.test("a cart stores the shopper's locale and passes it to its order", async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  t.equal((await shopper.get('/cart')).body.locale, null);
  t.match(await shopper.patch('/cart', { locale: 'nonsense!' }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/locale' }]) },
  });
  t.equal((await shopper.patch('/cart', { locale: 'fr-CH' })).body.locale, 'fr-CH');
  const { id } = (await shopper.post('/checkout', buyer)).body;
  t.equal((await box.staff.get(`/admin/orders/${id}`)).body.locale, 'fr-CH');
});

t.test('a country chooses its region, and with it currency and prices', async (t) => {
  const store = await box.openTenant();
  const create = async (currency: string, countries: string[]): Promise<string> =>
    (await store.staff.post('/admin/regions', { name: currency, currency, countries })).body.id;
  const [euro, franc] = [await create('EUR', ['DE', 'FR']), await create('CHF', ['CH'])];
  const [both, euroOnly] = [await forSale(store, { price: 1000 }), await forSale(store, { price: 300 })];
  await both.price([
    { currency: 'EUR', amount: 1000 },
    { currency: 'CHF', amount: 1100 },
  ]);
  const shopper = await shopperWith(store, [both, 2], [euroOnly, 1]);
  const chosen = await shopper.patch('/cart', { country: 'DE' });
  t.match(chosen, { status: 200, body: { regionId: euro, currency: 'EUR', totals: { total: { amount: 2300 } } } });

  // Another currency prices every line again; a line without a price in it stays, and prevents the order.
  const changed = await shopper.patch('/cart', { country: 'CH' });
  t.match(changed, { status: 200, body: { regionId: franc, currency: 'CHF' } });
  type Item = { unitPrice: unknown; total: unknown; issues: string[] };
  t.strictSame(
    changed.body.items.map(({ unitPrice, total, issues }: Item) => [unitPrice, total, issues]),
    [
      [{ amount: 1100, currency: 'CHF' }, { amount: 2200, currency: 'CHF' }, []],
      [null, null, ['unpriced']],
    ],
  );
  t.strictSame(changed.body.totals.total, { amount: 2200, currency: 'CHF' });
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'cart_not_ready' } });
  const back = await shopper.patch('/cart', { country: 'FR' });
  t.match(back.body, { currency: 'EUR', totals: { total: { amount: 2300, currency: 'EUR' } } });

  const refused = await shopper.patch('/cart', { country: 'US' });
  t.match(refused, {
    status: 409,
    body: { code: 'country_not_served', detail: 'The store does not sell to United States.' },
  });
  for (const body of [
    { country: 'DE', regionId: euro },
    { country: 'DE', regionId: null },
    { country: 'CH', currency: 'EUR' },
    { country: 'ZZ' },
  ]) {
    t.equal((await shopper.patch('/cart', body)).status, 400, JSON.stringify(body));
  }
  t.match((await shopper.get('/cart')).body, { regionId: euro, currency: 'EUR' }, 'and nothing changed');
  await shopper.put('/cart/shipping-address', address('CH'));
  t.match((await shopper.get('/cart')).body, { regionId: euro, issues: exactly(['country_not_served']) });
});

t.test('a country that moves to another region meanwhile chooses that one', async (t) => {
  const store = await box.openTenant();
  const create = async (name: string, countries: string[]): Promise<string> =>
    (await store.staff.post('/admin/regions', { name, currency: 'EUR', countries })).body.id;
  const [from, to] = [await create('From', ['DE']), await create('To', [])];
  const shopper = await shopperWith(store, [await forSale(store), 1]);
  const { finish } = await withOpenTransaction(store, async (tx) => {
    await tx.query('select id from regions where tenant_id = $1 and id = $2 for update', [from]);
    await tx.query('update region_countries set region_id = $2 where tenant_id = $1', [to]);
  });
  const patched = shopper.patch('/cart', { country: 'DE' });
  await untilWaiting(box);
  await finish();
  t.match(await patched, { status: 200, body: { regionId: to } });
});
