/**
 * Checkout settings, and the records of attempts.
 */
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { createTestBox, eventsOf, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { bindProvider, buyer, createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const mug = await createArticle(box, 'mug', 1250, 1000);
const path = '/admin/checkout-settings';

async function attemptsOf({ db }: TestTenant, cartId: string) {
  const [attempt] = await db.query(
    'select status, code, order_id, attempts from checkout_attempts where tenant_id = $1 and cart_id = $2',
    [cartId],
  );
  return attempt;
}

async function outcomesOf(tenant: TestTenant, cartId: string): Promise<string[]> {
  const events = await eventsOf<{ code?: string }>(tenant, { resourceId: cartId, type: /^checkout\./ });
  return events.map(({ type, payload }) => (payload.code ? `${type} ${payload.code}` : type));
}

t.test('settings of the store are readable and changeable here', async (t) => {
  t.match(await box.staff.get(path), { status: 200, body: { guestCheckout: true, checkoutRequires: exactly([]) } });
  const changed = await box.staff.patch(path, { guestCheckout: false, checkoutRequires: ['phone'] });
  t.match(changed, { status: 200, body: { guestCheckout: false, checkoutRequires: exactly(['phone']) } });
  t.match((await box.staff.get('/admin/store')).body, { guestCheckout: false, checkoutRequires: exactly(['phone']) });
  await box.staff.patch(path, { guestCheckout: true, checkoutRequires: [] });
  const other = await box.openTenant();
  await other.staff.patch(path, { checkoutRequires: ['billing'] });
  t.match((await box.staff.get(path)).body, { checkoutRequires: exactly([]) }, 'each tenant has its own');
  const cases: [string, object][] = [
    ['nothing', {}],
    ['an unknown field', { checkoutRequires: ['shoeSize'] }],
    ['a duplicate field', { checkoutRequires: ['name', 'name'] }],
    ['not a list', { checkoutRequires: 'name' }],
    ['an unknown setting', { reservationHours: 5 }],
    ['a negative duration', { reservationMinutes: -1 }],
  ];
  for (const [what, body] of cases) t.match(await box.staff.patch(path, body), { status: 400 }, what);
});

t.test("checkout's own settings are stored with the store's and change one by one", async (t) => {
  const defaults = {
    paymentRequired: false,
    pendingOrderMinutes: 60,
    reservationMinutes: 15,
    reserveAtCheckout: false,
    unpaidOrderMinutes: 0,
  };
  t.match(await box.staff.get(path), { body: defaults });
  t.match(await box.staff.patch(path, { reservationMinutes: 5 }), { status: 200, body: { reservationMinutes: 5 } });
  const both = await box.staff.patch(path, { unpaidOrderMinutes: 60, checkoutRequires: ['name'] });
  t.match(both.body, {
    ...defaults,
    reservationMinutes: 5,
    unpaidOrderMinutes: 60,
    checkoutRequires: exactly(['name']),
  });
  t.match((await box.staff.get('/admin/store')).body.settings.checkout, { reservationMinutes: 5 });
  await box.staff.patch(path, { ...defaults, checkoutRequires: [] });
});

t.test('a payment method can be required', async (t) => {
  await box.staff.patch(path, { paymentRequired: true });
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  t.match((await shopper.get('/checkout')).body, { ready: true, paymentRequired: true });
  t.match(await shopper.post('/checkout', buyer), {
    status: 400,
    body: { code: 'payment_required', errors: exactly([{ in: 'body', pointer: '/paymentMethod' }]) },
  });
  t.strictSame(await snapshot(box), before);
  const gift = await createArticle(box, 'gift', 0, 5);
  const free = await shopperWith(box, [gift, 1]);
  t.match((await free.get('/checkout')).body, { paymentRequired: false });
  t.equal((await free.post('/checkout', buyer)).status, 201, 'nothing is left to pay');
  bindProvider(box, t);
  t.equal((await shopper.post('/checkout', { ...buyer, paymentMethod: 'card' })).status, 201);
  await box.staff.patch(path, { paymentRequired: false });
});

t.test('required details must come from the cart or the request', async (t) => {
  await box.staff.patch(path, { checkoutRequires: ['name', 'phone', 'address.city', 'billing'] });
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  const customer = { email: 'ada@example.com' };
  t.match((await shopper.get('/checkout')).body, {
    ready: true,
    asks: exactly(['name', 'phone', 'address.city', 'billing']),
  });
  t.match(await shopper.post('/checkout', { customer: { ...customer, name: 'Ada', address: '1 Main Street' } }), {
    status: 409,
    body: {
      code: 'customer_details_missing',
      detail: 'Missing: phone, address.city, billing.',
      errors: exactly([
        { in: 'body', pointer: '/customer/phone' },
        { in: 'body', pointer: '/customer/address/city' },
        { in: 'body', pointer: '/customer/billing' },
      ]),
    },
  });
  t.strictSame(await snapshot(box), before);
  const address = { name: 'Ada Lovelace', line1: '12 Rue des Lilas', city: 'Lyon', country: 'FR', phone: '+33 4' };
  await shopper.put('/cart/shipping-address', address);
  t.strictSame((await shopper.get('/checkout')).body.asks, ['billing'], 'the cart has the rest');
  const placed = await shopper.post('/checkout', { customer: { ...customer, phone: '+33 9', billing: 'As above' } });
  t.match(placed, {
    status: 201,
    body: { customer: { name: 'Ada Lovelace', phone: '+33 9', address: { city: 'Lyon' }, billing: 'As above' } },
  });
  await box.staff.patch(path, { checkoutRequires: [] });
});

t.test('guests can be rejected, and the preview says so', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  await box.staff.patch(path, { guestCheckout: false });
  t.match((await shopper.get('/checkout')).body, {
    ready: false,
    requirements: exactly([{ code: 'guest_checkout_off' }]),
  });
  t.match(await shopper.post('/checkout', buyer), { status: 403, body: { code: 'guest_checkout_off' } });
  await box.staff.patch(path, { guestCheckout: true });
  t.match(await shopper.post('/checkout', buyer), { status: 201 });
});

t.test('a cart has one record, whatever the number of attempts', async (t) => {
  const scarce = await createArticle(box, 'scarce', 100, 1);
  const shopper = await shopperWith(box, [scarce, 1]);
  const cartId = (await shopper.get('/cart')).body.id;
  await (await shopperWith(box, [scarce, 1])).post('/checkout', buyer);
  const withKey = () => shopper.post('/checkout', buyer, { headers: { 'idempotency-key': newId() } });
  await shopper.post('/checkout', buyer);
  await Promise.all([1, 2, 3, 4, 5].map(() => shopper.post('/checkout', buyer)));
  await Promise.all([1, 2, 3, 4].map(withKey));
  t.match(await attemptsOf(box, cartId), { status: 'failed', code: 'insufficient_stock', attempts: 10 });
  t.strictSame(await outcomesOf(box, cartId), ['checkout.failed insufficient_stock'], 'published once');
  t.match(await shopper.post('/checkout', { ...buyer, paymentMethod: 'card' }), { status: 503 });
  t.match(await attemptsOf(box, cartId), { status: 'failed', code: 'payments_not_configured', attempts: 11 });
  await box.staff.post(`/admin/stock-items/${scarce.stockItemId}/adjustments`, { quantity: 5, reason: 'received' });
  const placed = await shopper.post('/checkout', buyer);
  t.equal(placed.status, 201);
  const completed = { status: 'completed', code: null, orderId: placed.body.id, attempts: 12 };
  t.match(await attemptsOf(box, cartId), completed);
  await shopper.post('/checkout', buyer);
  t.match(await attemptsOf(box, cartId), completed, 'a completed checkout stays completed');
  t.strictSame(await outcomesOf(box, cartId), [
    'checkout.failed insufficient_stock',
    'checkout.failed payments_not_configured',
    'checkout.completed',
  ]);
  const total = await box.db.query('select count(*) from checkout_attempts where tenant_id = $1');
  await box.visitor().post('/checkout', buyer);
  t.strictSame(await box.db.query('select count(*) from checkout_attempts where tenant_id = $1'), total, 'no cart');
});

t.test('twenty concurrent failures, with and without a key, all get their response', async (t) => {
  const soldOut = await createArticle(box, 'sold-out', 100, 0);
  await box.staff.patch(`/admin/stock-items/${soldOut.stockItemId}`, { backOrderPolicy: 'allow' });
  const shoppers = await Promise.all(Array.from({ length: 20 }, () => shopperWith(box, [soldOut, 1])));
  await box.staff.patch(`/admin/stock-items/${soldOut.stockItemId}`, { backOrderPolicy: 'deny' });
  const answers = await Promise.all(
    shoppers.map((shopper, index) =>
      shopper.post('/checkout', buyer, index % 2 ? { headers: { 'idempotency-key': newId() } } : {}),
    ),
  );
  t.ok(answers.every(({ status, body }) => status === 409 && body.code === 'insufficient_stock'));
  const [{ count }] = (await box.db.query(
    "select count(*) from checkout_attempts where tenant_id = $1 and code = 'insufficient_stock'",
  )) as [{ count: number }];
  t.equal(count, 20);
});
