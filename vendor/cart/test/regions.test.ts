/**
 * A region sells only to its countries. A shopper may resolve a mismatch by changing the region or the address.
 */
import { findCart, priceCart, type StoredCart, setPickupAddress } from '@carton/cart';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { forSale, shopperWith } from './helpers.ts';

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
    t.strictSame((await shopper.get('/checkout')).body.requirements, [{ code: 'country_not_served', detail }]);
    t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'country_not_served', detail } });

    t.strictSame((await shopper.patch('/cart', { regionId: alps })).body.issues, [], 'another region');
    t.strictSame((await shopper.patch('/cart', { regionId: europe })).body.issues, ['country_not_served']);
    t.strictSame((await shopper.put('/cart/shipping-address', address('DE'))).body.issues, [], 'or another address');
    t.strictSame((await shopper.get('/checkout')).body.requirements, []);
    t.equal((await shopper.post('/checkout', buyer)).status, 201);
  },
);

t.test('a region without countries sells nowhere, a cart without a region sells anywhere', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await shopper.put('/cart/shipping-address', address('US'));
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
