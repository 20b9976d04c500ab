/**
 * Each requirement has its code, its detail and the field that meets it; and a new store has no requirements.
 */
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, exactly, packagesOfTier } from '@carton/runtime/testing';
import t from 'tap';
import { requirementCodesIn } from '../placing/requirements.ts';
import { buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const change = (settings: unknown) => box.staff.patch('/admin/checkout-settings', settings);

/** The requirement that a preview lists, and the problem of the order, as `status code pointers: details`. */
async function refusalsOf(shopper: Awaited<ReturnType<typeof shopperWith>>, more: object = {}) {
  const preview = (await shopper.get('/checkout')).body.requirements;
  const { status, body } = await shopper.post('/checkout', { ...buyer, ...more });
  const errors = (body.errors ?? []).map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`);
  return { preview, order: [status, body.code, body.detail, ...errors] };
}

t.test('an empty cart', async (t) => {
  const { preview, order } = await refusalsOf(box.shopper());
  t.strictSame(preview, [{ code: 'cart_empty', detail: 'The cart is empty.', pointer: null }]);
  t.strictSame(order, [409, 'cart_empty', 'Add an item to the cart first.']);
});

t.test('items that cannot be ordered', async (t) => {
  const [hat, lamp, last] = [
    await createArticle(box, 'hat', 500, 10),
    await createArticle(box, 'lamp', 500, 10),
    await createArticle(box, 'last', 500, 2),
  ];
  const shoppers = [
    await shopperWith(box, [hat, 1]),
    await shopperWith(box, [lamp, 1]),
    await shopperWith(box, [last, 2]),
  ] as const;
  await box.staff.patch(`/admin/products/${hat.productId}`, { status: 'archived' });
  await box.staff.put(`/admin/variants/${lamp.variantId}/prices`, { prices: [] });
  await (await shopperWith(box, [last, 1])).post('/checkout', buyer);
  const archived = 'hat Default is no longer for sale.';
  const unpriced = 'lamp Default has no price in EUR.';
  const [one, two, three] = [
    await refusalsOf(shoppers[0]),
    await refusalsOf(shoppers[1]),
    await refusalsOf(shoppers[2]),
  ];
  t.strictSame(one.preview, [{ code: 'item_unavailable', detail: archived, pointer: null }]);
  t.strictSame(one.order, [409, 'cart_not_ready', archived]);
  t.strictSame(two.preview, [{ code: 'item_unpriced', detail: unpriced, pointer: null }]);
  t.strictSame(two.order, [409, 'cart_not_ready', unpriced]);
  t.match(three.preview, exactly([{ code: 'insufficient_stock', pointer: null }]));
  t.strictSame(three.order.slice(0, 2), [409, 'insufficient_stock']);
});

t.test('quantities and sums that the store does not sell', async (t) => {
  const pen = await createArticle(box, 'pen', 500, 10);
  const shopper = await shopperWith(box, [pen, 3]);
  await box.staff.patch(`/admin/products/${pen.productId}`, { maxQuantity: 2 });
  const limited = await refusalsOf(shopper);
  t.match(limited.preview, exactly([{ code: 'quantity_limit', pointer: null }]));
  t.strictSame(limited.order.slice(0, 2), [409, 'cart_not_ready']);
  await box.staff.patch(`/admin/products/${pen.productId}`, { maxQuantity: null });
  const minimum = (amount: number) => ({ cart: { minimumOrder: [{ currency: 'EUR', amount }] } });
  await box.staff.patch('/admin/store', { settings: minimum(1501) });
  const below = await refusalsOf(shopper);
  t.match(below.preview, exactly([{ code: 'minimum_order', pointer: null }]));
  t.strictSame(below.order.slice(0, 2), [409, 'minimum_order']);
  await box.staff.patch('/admin/store', { settings: { cart: { minimumOrder: [] } } });
});

t.test('an address outside the region', async (t) => {
  const region = { name: 'France', currency: 'EUR', countries: ['FR'] };
  const { id } = (await box.staff.post('/admin/regions', region)).body;
  const shopper = await shopperWith(box, [await createArticle(box, 'cup', 500, 10), 1]);
  await shopper.patch('/cart', { regionId: id });
  await shopper.put('/cart/shipping-address', { name: 'Ada', line1: '1 Way', city: 'Lyon', country: 'FR' });
  t.strictSame((await shopper.get('/checkout')).body.requirements, []);
  const address = { line1: '1 Way', city: 'Berlin', country: 'DE' };
  const { order } = await refusalsOf(shopper, { customer: { ...buyer.customer, address } });
  t.strictSame(
    [order[0], order[1], order.slice(3)],
    [409, 'country_not_served', ['/customer/address must be in a country that the region serves']],
  );
  const { preview } = await refusalsOf(await withoutCountry(id));
  t.match(preview, exactly([{ code: 'country_not_served', pointer: '/customer/address' }]));
});

t.test('prices in another currency than the shopper has seen', async (t) => {
  const store = await box.openTenant();
  const cup = await createArticle(store, 'cup', 500, 10);
  const prices = ['EUR', 'CHF'].map((currency) => ({ currency, amount: 500 }));
  await store.staff.put(`/admin/variants/${cup.variantId}/prices`, { prices });
  for (const [currency, country] of [
    ['EUR', 'FR'],
    ['CHF', 'CH'],
  ]) {
    await store.staff.post('/admin/regions', { name: currency, currency, countries: [country] });
  }
  const shopper = await shopperWith(store, [cup, 1]);
  await shopper.put('/cart/shipping-address', { name: 'Ada', line1: '1 Way', city: 'Bern', country: 'CH' });
  const { preview, order } = await refusalsOf(shopper);
  const detail = "The prices are now in CHF, the currency of the cart's region. Accept it, or choose another region.";
  t.strictSame(preview, [{ code: 'currency_changed', detail, pointer: '/expectedTotal' }]);
  t.strictSame(order, [409, 'currency_changed', detail, '/expectedTotal must be the total in the new currency']);
});

/** A cart in a region with a free-text address. */
async function withoutCountry(regionId: string) {
  const shopper = await shopperWith(box, [await createArticle(box, 'bowl', 500, 10), 1]);
  await shopper.put('/cart/shipping-address', { name: 'Ada', line1: '1 Way', city: 'Berlin', country: 'DE' });
  await shopper.patch('/cart', { regionId });
  return shopper;
}

t.test('settings of the store', async (t) => {
  const shopper = await shopperWith(box, [await createArticle(box, 'bag', 500, 10), 1]);
  await change({ guestCheckout: false });
  const guest = await refusalsOf(shopper);
  t.strictSame(guest.preview, [{ code: 'guest_checkout_off', detail: 'Sign in to order.', pointer: null }]);
  t.strictSame(guest.order, [403, 'guest_checkout_off', 'Sign in to order.']);
  await change({ guestCheckout: true, checkoutRequires: ['phone'], termsVersion: '1', paymentRequired: true });
  const details = await refusalsOf(shopper);
  t.strictSame(details.preview, [], 'these can be sent with the order: asks, terms, paymentRequired');
  const required = 'is required by this store';
  t.strictSame(details.order, [409, 'customer_details_missing', 'Missing: phone.', `/customer/phone ${required}`]);
  await change({ checkoutRequires: [] });
  t.strictSame((await refusalsOf(shopper)).order, [
    400,
    'terms_not_accepted',
    'Accept the terms in version 1.',
    `/terms ${required}`,
  ]);
  await change({ termsVersion: null });
  t.strictSame((await refusalsOf(shopper)).order, [
    400,
    'payment_required',
    'Choose a payment method.',
    `/paymentMethod ${required}`,
  ]);
  await change({ paymentRequired: false });
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
});

t.test('the codes of the built-in steps are those tested here', async (t) => {
  t.strictSame(requirementCodesIn({ extensions: new Map() }), [
    'guest_checkout_off',
    'cart_empty',
    'item_unavailable',
    'item_unpriced',
    'insufficient_stock',
    'quantity_limit',
    'country_not_served',
    'currency_changed',
    'minimum_order',
    // postal-codes.test.ts
    'postal_code_invalid',
    // provinces.test.ts of tax, places.test.ts of shipping
    'province_missing',
    'province_unknown',
    'quote_missing',
    'customer_details_missing',
    'terms_not_accepted',
    'payment_required',
    // amounts.test.ts
    'payment_method_unavailable',
    'payment_method_unknown',
    // guest-units.test.ts
    'unpaid_units_limit',
  ]);
});

for (const tier of ['basic', 'growth', 'enterprise'] as const) {
  t.test(`a guest buys in three calls in a new store: ${tier}`, async (t) => {
    const store = await createTestBox(t, { packages: packagesOfTier(tier) });
    await createArticle(store, 'first', 1999, 5);
    const guest = store.shopper();
    const { items } = (await guest.get('/products')).body;
    const variantId = items[0].variants[0].id;
    t.equal((await guest.post('/cart/items', { variantId, quantity: 1 })).status, 201);
    const placed = await guest.post('/checkout', { customer: { email: 'ada@example.com' } });
    t.match(placed, { status: 201, body: { totals: { total: { amount: 1999, currency: 'EUR' } } } });
  });
}
