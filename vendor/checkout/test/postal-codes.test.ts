/**
 * A postal code that its country does not have is an issue of the cart, and refuses the order only where it is required.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const customer = { email: 'ada@example.com' };
const address = { name: 'Ada', line1: '1 Way', city: 'Berlin', country: 'DE' };

let made = 0;

async function cartOf(tenant: TestTenant) {
  return shopperWith(tenant, [await createArticle(tenant, `cup-${++made}`, 500, 100), 1]);
}

async function issuesOf(tenant: TestTenant, more: object): Promise<string[]> {
  const shopper = await cartOf(tenant);
  return (await bodyOf(shopper.put('/cart/shipping-address', { ...address, ...more }))).issues;
}

t.test('a new store checks postal codes, and refuses nothing that it does not require', async (t) => {
  const tenant = await box.openTenant();
  t.strictSame(await issuesOf(tenant, { postalCode: 'ABCDE' }), ['postal_code_invalid']);
  for (const more of [
    { postalCode: '10115' },
    { postalCode: null },
    { postalCode: ' ' },
    { country: 'HK', postalCode: 'X' },
  ]) {
    t.strictSame(await issuesOf(tenant, more), [], JSON.stringify(more));
  }
  const shopper = await cartOf(tenant);
  await bodyOf(shopper.put('/cart/shipping-address', { ...address, postalCode: 'ABCDE' }));
  const { ready, requirements } = await bodyOf(shopper.get('/checkout'));
  t.strictSame([ready, requirements], [true, []]);
  t.match(await shopper.post('/checkout', { customer }), { status: 201 });
});

t.test('a store that requires the postal code refuses a wrong one', async (t) => {
  const tenant = await box.openTenant();
  await bodyOf(tenant.staff.patch('/admin/store', { checkoutRequires: ['address.postalCode'] }));
  const shopper = await cartOf(tenant);
  await bodyOf(shopper.put('/cart/shipping-address', { ...address, postalCode: 'ABCDE' }));
  const pointer = '/customer/address/postalCode';
  const { ready, requirements } = await bodyOf(shopper.get('/checkout'));
  t.match({ ready, requirements }, { ready: false, requirements: exactly([{ code: 'postal_code_invalid', pointer }]) });
  t.match(await shopper.post('/checkout', { customer }), {
    status: 409,
    body: {
      code: 'postal_code_invalid',
      detail: 'ABCDE is no postal code of Germany. Correct it.',
      errors: exactly([{ pointer }]),
    },
  });
  const sent = { ...address, postalCode: '1011' };
  t.match(await shopper.post('/checkout', { customer: { ...customer, address: sent } }), {
    status: 409,
    body: { code: 'postal_code_invalid' },
  });
  t.match(await shopper.post('/checkout', { customer: { ...customer, address: { ...sent, postalCode: '10115' } } }), {
    status: 201,
  });
});

t.test('an earlier store checks them once it switches that on', async (t) => {
  const tenant = await box.openTenant();
  await tenant.db.transaction((tx) => tx.update('stores', {}, { defaultVersion: 2 }));
  const setting = async () => (await bodyOf(tenant.staff.get('/admin/store'))).settings.cart.checkPostalCodes;
  t.equal(await setting(), false);
  t.strictSame(await issuesOf(tenant, { postalCode: 'ABCDE' }), []);
  await bodyOf(tenant.staff.patch('/admin/store', { settings: { cart: { checkPostalCodes: true } } }));
  t.strictSame(await issuesOf(tenant, { postalCode: 'ABCDE' }), ['postal_code_invalid']);
  const other = await box.openTenant();
  await bodyOf(other.staff.patch('/admin/store', { settings: { cart: { checkPostalCodes: false } } }));
  t.strictSame(await issuesOf(other, { postalCode: 'ABCDE' }), []);
});

t.test('a code of another province or country than the address is an issue that names it', async (t) => {
  const tenant = await box.openTenant();
  await bodyOf(tenant.staff.patch('/admin/store', { checkoutRequires: ['address.postalCode'] }));
  const cases: [more: object, detail: string | null][] = [
    [
      { country: 'ES', province: 'Barcelona', postalCode: '28001' },
      '28001 is a postal code of Madrid, and the province of the address is Barcelona. Correct one of them.',
    ],
    [
      { country: 'GB', postalCode: 'je23ab' },
      'JE2 3AB is a postal code of Jersey, not of United Kingdom. Choose Jersey, or correct it.',
    ],
    [{ country: 'ES', province: 'Barcelona', postalCode: '08001' }, null],
    [{ country: 'GB', postalCode: 'IM1 1AA' }, null],
    [{ country: 'JE', postalCode: 'JE2 3AB' }, null],
  ];
  for (const [more, detail] of cases) {
    const shopper = await cartOf(tenant);
    const { issues } = await bodyOf(shopper.put('/cart/shipping-address', { ...address, ...more }));
    t.strictSame(issues, detail === null ? [] : ['postal_code_invalid']);
    const placed = await shopper.post('/checkout', { customer });
    if (detail === null) t.equal(placed.status, 201, JSON.stringify(more));
    else t.match(placed, { status: 409, body: { code: 'postal_code_invalid', detail } });
  }
});

t.test('carts, orders and staff store a code in one form', async (t) => {
  const shopper = await cartOf(box);
  const put = (more: object) => bodyOf(shopper.put('/cart/shipping-address', { ...address, ...more }));
  t.equal((await put({ postalCode: 'D-80331' })).shippingAddress.postalCode, '80331');
  t.equal((await put({ country: 'LV', postalCode: '1010' })).shippingAddress.postalCode, 'LV-1010');
  const billing = { country: 'Austria', postalCode: 'A-1010' };
  const placed = await bodyOf(shopper.post('/checkout', { customer: { ...customer, billing } }));
  t.match(placed.customer, { address: { postalCode: 'LV-1010' }, billing: { country: 'AT', postalCode: '1010' } });
  const changed = { country: 'Sverige', postalCode: 'SE-11455' };
  const order = await bodyOf(box.staff.patch(`/admin/orders/${placed.id}`, { customer: { address: changed } }));
  t.equal(order.customer.address.postalCode, '114 55');
});
