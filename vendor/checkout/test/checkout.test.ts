/**
 * A cart becomes an order completely or not at all.
 */
import { shopperWith } from '@carton/cart/testing';
import { type SessionData, sessionData } from '@carton/runtime';
import { createTestBox, exactly, payloadsOf, sessionHashOf } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const shirt = await createArticle(box, 'shirt', 1999, 1000);
const mug = await createArticle(box, 'mug', 1250, 1000);

t.test("the order has the cart's contents, and the cart is empty", async (t) => {
  const shopper = await shopperWith(box, [shirt, 2], [mug, 1]);
  const before = await snapshot(box);
  const placed = await shopper.post('/checkout', {
    customer: { ...buyer.customer, phone: '+33 1', address: '1 Main Street', billing: { city: 'Paris' } },
    notes: 'Ring twice',
  });
  t.equal(placed.status, 201);
  t.equal(placed.headers.get('location'), `/checkout/${placed.body.id}`);
  t.match(placed.body, {
    number: '1001',
    status: 'placed',
    paymentStatus: 'unpaid',
    currency: 'EUR',
    totals: { subtotal: { amount: 5248, currency: 'EUR' }, total: { amount: 5248, currency: 'EUR' } },
    customer: { email: 'ada@example.com', phone: '+33 1', address: '1 Main Street', billing: { city: 'Paris' } },
    notes: 'Ring twice',
  });
  const items = placed.body.items.map(
    ({ sku, quantity, total }: { sku: string; quantity: number; total: { amount: number } }) => [
      sku,
      quantity,
      total.amount,
    ],
  );
  t.strictSame(items.sort(), [
    ['MUG', 1, 1250],
    ['SHIRT', 2, 3998],
  ]);
  t.match(await shopper.get('/cart'), { status: 200, body: { items: exactly([]) } });
  const after = await snapshot(box);
  t.equal(after.orders, before.orders + 1);
  t.equal(after.movements, before.movements + 2);
  t.match(await payloadsOf(box, { type: 'order.placed' }), exactly([{ number: '1001' }]));
  t.match(
    await payloadsOf(box, { type: 'checkout.completed' }),
    exactly([{ orderId: placed.body.id, number: '1001', currency: 'EUR', totalAmount: 5248 }]),
  );
  t.strictSame(
    (await shopper.get(`/checkout/${placed.body.id}`)).body,
    placed.body,
    'reading the order returns the same',
  );
});

t.test('attribution is stored on the order and shown to staff alone', async (t) => {
  const attribution = {
    channel: 'web',
    utmSource: 'newsletter',
    utmMedium: 'email',
    utmCampaign: 'spring-sale',
    utmTerm: 'linen shirt',
    utmContent: 'banner',
    referrer: 'https://blog.example/linen',
    landingPage: 'https://shop.example/products/shirt?utm_source=newsletter',
  };
  const shopper = await shopperWith(box, [mug, 1]);
  const placed = await shopper.post('/checkout', { ...buyer, attribution });
  t.equal(placed.status, 201);
  t.strictSame((await box.staff.get(`/admin/orders/${placed.body.id}`)).body.attribution, attribution);
  for (const caller of [shopper, box.shopper(), box.visitor()]) {
    const { status, body } = await caller.get(`/checkout/${placed.body.id}`);
    t.strictSame([status, 'attribution' in body], [200, false]);
    t.notMatch(JSON.stringify(body), /newsletter/);
  }
  t.notMatch(JSON.stringify(placed.body), /newsletter/);
  const next = await shopperWith(box, [mug, 1]);
  for (const invalid of ['web', [], { landingPage: 7 }, { utmSource: ['a', 'b'] }]) {
    t.match(await next.post('/checkout', { ...buyer, attribution: invalid }), { status: 400 }, JSON.stringify(invalid));
  }
  const without = await next.post('/checkout', buyer);
  t.equal((await box.staff.get(`/admin/orders/${without.body.id}`)).body.attribution, null);
});

t.test("order numbers follow the store's format", async (t) => {
  await box.staff.patch('/admin/store', { orderNumberFormat: 'ORD-{number}' });
  const placed = await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  t.equal(placed.body.number, 'ORD-1004');
  await box.db.query(
    "update orders set number = 'X-' || (substring(number from '[0-9]+$')::int + 1) where tenant_id = $1",
  );
  await box.staff.patch('/admin/store', { orderNumberFormat: 'X-{number}' });
  const next = await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  t.match(next, { status: 201, body: { number: 'X-1006' } }, 'a number in use from an earlier format is skipped');
  await box.staff.patch('/admin/store', { orderNumberFormat: '{number}' });
});

t.test('a rejected checkout changes nothing', async (t) => {
  const scarce = await createArticle(box, 'scarce', 100, 1);
  const archived = await createArticle(box, 'archived', 100, 5);
  const unpriced = await createArticle(box, 'unpriced', 100, 5);
  const tooMany = await shopperWith(box, [shirt, 1], [scarce, 1]);
  const unsold = await shopperWith(box, [archived, 1]);
  const priceless = await shopperWith(box, [unpriced, 1]);
  await (await shopperWith(box, [scarce, 1])).post('/checkout', buyer);
  await box.staff.patch(`/admin/products/${archived.productId}`, { status: 'archived' });
  await box.staff.put(`/admin/variants/${unpriced.variantId}/prices`, { prices: [] });
  const full = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  const cases: [what: string, answer: Promise<object>, expected: object][] = [
    ['no session', box.visitor().post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } }],
    ['an empty cart', box.shopper().post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } }],
    ['not enough stock', tooMany.post('/checkout', buyer), { status: 409, body: { code: 'insufficient_stock' } }],
    [
      'no longer for sale',
      unsold.post('/checkout', buyer),
      { status: 409, body: { code: 'cart_not_ready', detail: /no longer for sale/ } },
    ],
    [
      'no price',
      priceless.post('/checkout', buyer),
      { status: 409, body: { code: 'cart_not_ready', detail: /no price/ } },
    ],
    [
      'no e-mail',
      full.post('/checkout', { customer: {} }),
      { status: 400, body: { errors: [{ pointer: '/customer/email' }] } },
    ],
    [
      'a payment method',
      full.post('/checkout', { ...buyer, paymentMethod: 'card' }),
      {
        status: 503,
        body: {
          code: 'payments_not_configured',
          title: 'Payments are not configured in this environment',
          detail: 'Payments are not configured in this environment',
        },
      },
    ],
    [
      'a payment method and an empty cart',
      box.shopper().post('/checkout', { ...buyer, paymentMethod: 'x' }),
      { status: 503 },
    ],
  ];
  for (const [what, answer, expected] of cases) t.match(await answer, expected, what);
  t.strictSame(await snapshot(box), before);
  await box.staff.patch('/admin/store', { guestCheckout: false });
  t.match(
    await full.post('/checkout', buyer),
    { status: 403, body: { code: 'guest_checkout_off' } },
    'guests can be rejected',
  );
  await box.staff.patch('/admin/store', { guestCheckout: true });
  t.strictSame(await snapshot(box), before);
});

t.test('the preview lists unmet requirements', async (t) => {
  t.match((await box.visitor().get('/checkout')).body, {
    ready: false,
    requirements: exactly([{ code: 'cart_empty' }]),
    asks: exactly([]),
    cart: { id: null },
  });
  const rare = await createArticle(box, 'rare', 700, 1);
  const [one, other] = [await shopperWith(box, [rare, 1]), await shopperWith(box, [rare, 1])];
  t.match((await one.get('/checkout')).body, {
    ready: true,
    requirements: exactly([]),
    cart: { totals: { total: { amount: 700 } } },
  });
  t.equal((await one.post('/checkout', buyer)).status, 201);
  t.match((await other.get('/checkout')).body, {
    ready: false,
    requirements: exactly([{ code: 'insufficient_stock' }]),
  });
});

t.test('an order is unmasked only for the shopper who placed it', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  const { id } = (
    await shopper.post('/checkout', {
      customer: { ...buyer.customer, phone: '+33 1 23 45', address: { line1: '1 Main Street' } },
      notes: 'Gate code 7',
    })
  ).body;
  const other = await box.openTenant();
  for (const reader of [box.visitor(), box.shopper()]) {
    const { status, body } = await reader.get(`/checkout/${id}`);
    t.equal(status, 200);
    t.notMatch(JSON.stringify(body), /ada@example|Lovelace|\+33|1 23 45|Main Street|Gate code/);
    t.match(body, { id, items: exactly([{ sku: 'MUG' }]), totals: { total: { amount: 1250 } } });
  }
  t.match(await other.visitor().get(`/checkout/${id}`), { status: 404 }, 'not found for another tenant');
  t.match(await box.visitor().get('/checkout/not-an-id'), { status: 404 });
});

t.test('orders go with the session that takes the place of theirs', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  const other = await shopperWith(box, [mug, 1]);
  const { id } = (await shopper.post('/checkout', buyer)).body;
  const kept = (await other.post('/checkout', buyer)).body.id;
  const to = 'b'.repeat(64);
  const [{ move }] = sessionData.of(box.db) as [SessionData];
  t.equal(await box.db.transaction((tx) => move(tx, sessionHashOf(shopper), to)), true);
  t.match((await shopper.get(`/checkout/${id}`)).body.customer, { email: 'a***@e***.com' });
  const hashes = 'select id, session_hash = $2 as moved from orders where tenant_id = $1 and id = any($3::uuid[])';
  t.strictSame(
    new Map(
      (await box.db.query<{ id: string; moved: boolean }>(hashes, [to, [id, kept]])).map((row) => [row.id, row.moved]),
    ),
    new Map([
      [id, true],
      [kept, false],
    ]),
  );
});
