import { createForSale, shopperWith } from '@carton/cart/testing';
import { startPayment } from '@carton/payment';
import { newId } from '@carton/runtime';
import { bodyOf, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, place, placeWithPayment, statusOf } from './helpers.ts';

const box = await openBox(t);
const message = 'Payments are not configured in this environment';
const notConfigured = {
  status: 503,
  body: { code: 'payments_not_configured', status: 503, title: message, detail: message },
};

/** A shopper with one unit of a new product in the cart. */
async function shopperWithCart(tenant: TestTenant, price: number) {
  const shopper = await shopperWith(tenant, [await createForSale(tenant, price, { stock: 5 }), 1]);
  return { shopper, cart: await bodyOf(shopper.get('/cart')) };
}

t.test('the default adapter offers no method, and every step is 503', async (t) => {
  t.match(await box.visitor().get('/payment-methods'), { status: 200, body: { items: exactly([]) } });
  const session = { paymentMethod: 'card' };
  t.match(await box.visitor().post('/cart/payment-sessions', session), notConfigured);
  const { shopper } = await shopperWithCart(box, 2500);
  t.match(await shopper.post('/cart/payment-sessions', session), notConfigured);
  const order = await place(box, 2500);
  t.match(await box.visitor().post(`/checkout/${order.id}/payment-sessions`, session), notConfigured);
  const payment = { cartId: newId(), method: 'card', amount: { amount: 2500, currency: 'EUR' }, email: null };
  await t.rejects(startPayment(box.db, payment), { type: { code: 'payments_not_configured' }, message });
  t.match(await box.visitor().post('/payments/webhooks/test', {}), { status: 404, body: { code: 'not_found' } });
  t.strictSame((await box.staff.get('/admin/payment-methods')).body, { items: [] });
});

t.test("the default adapter refuses steps of a provider's payment", async (t) => {
  let placed = { orderId: '', id: '' };
  await t.test('created while a provider was bound', async (t) => {
    placed = await placeWithPayment(box, contribute(t, box, new TestProvider()), 2500);
  });
  const { orderId, id } = placed;
  const part = { amount: { amount: 100, currency: 'EUR' } };
  for (const step of ['capture', 'void', 'refunds']) {
    t.match(await box.staff.post(`/admin/payments/${id}/${step}`), notConfigured, step);
    if (step !== 'void') t.match(await box.staff.post(`/admin/payments/${id}/${step}`, part), notConfigured, step);
    const headers = { 'idempotency-key': newId() };
    t.match(await box.staff.post(`/admin/payments/${id}/${step}`, undefined, { headers }), notConfigured);
  }
  for (const body of [{ amount: 100 }, { amount: { amount: 0, currency: 'EUR' } }, { part: 1 }]) {
    t.match(await box.staff.post(`/admin/payments/${id}/capture`, body), { status: 400 });
  }
  t.equal(await statusOf(box, orderId), 'unpaid');
});

t.test("a session is opened for the cart's total", async (t) => {
  const provider = new TestProvider();
  contribute(t, box, provider);
  const { shopper, cart } = await shopperWithCart(box, 1999);
  const opened = await shopper.post('/cart/payment-sessions', { paymentMethod: 'wallet' });
  t.match(opened, {
    status: 201,
    body: {
      provider: 'test',
      method: 'wallet',
      amount: { amount: 1999, currency: 'EUR' },
      reference: `re_${opened.body.id}`,
      nextAction: { type: 'redirect', value: `https://pay.example/re_${opened.body.id}` },
    },
  });
  t.match(provider.payments.get(opened.body.id), { intent: { cartId: cart.id, method: 'wallet', email: null } });

  const cases: [string, Awaited<ReturnType<typeof shopper.post>>, unknown][] = [
    [
      'an unknown method',
      await shopper.post('/cart/payment-sessions', { paymentMethod: 'cash' }),
      {
        status: 400,
        body: {
          code: 'payment_method_unknown',
          errors: [{ pointer: '/paymentMethod', detail: 'must be one of card, wallet' }],
        },
      },
    ],
    ['no method', await shopper.post('/cart/payment-sessions', {}), { status: 400 }],
    [
      'no cart',
      await box.visitor().post('/cart/payment-sessions', { paymentMethod: 'card' }),
      { status: 409, body: { code: 'nothing_to_pay' } },
    ],
    [
      'a provider that refuses',
      await (await shopperWithCart(box, 13)).shopper.post('/cart/payment-sessions', { paymentMethod: 'card' }),
      { status: 409, body: { code: 'payment_refused', detail: 'The provider refuses this amount.' } },
    ],
  ];
  for (const [name, response, expected] of cases) t.match(response, expected as object, name);
});

t.test('a cart has one open session', async (t) => {
  const provider = new TestProvider();
  contribute(t, box, provider);
  const { shopper, cart } = await shopperWithCart(box, 1999);
  const open = (paymentMethod: string) => shopper.post('/cart/payment-sessions', { paymentMethod });
  const responses = await Promise.all(Array.from({ length: 6 }, () => open('card')));
  t.equal(new Set(responses.map(({ body }) => body.id)).size, 1, 'concurrent requests return the same session');
  const other = await open('wallet');
  t.not(other.body.id, responses[0]?.body.id, 'another method replaces the session');
  t.equal(provider.stateOf(responses[0]?.body.id).status, 'voided', 'the replaced payment is voided at the provider');
  await shopper.patch(`/cart/items/${cart.items[0].id}`, { quantity: 2 });
  const larger = await open('wallet');
  t.match(larger.body.amount, { amount: 3998 });
  t.not(larger.body.id, other.body.id, 'another total replaces it too');
  const sessions = await box.db.query('select status from payment_sessions where tenant_id = $1 and cart_id = $2', [
    cart.id,
  ]);
  t.strictSame(sessions.map(({ status }) => status).sort(), ['given_up', 'given_up', 'open']);
});

t.test('after a failed call the provider is called again for the same payment', async (t) => {
  const provider = new TestProvider();
  contribute(t, box, provider);
  const { shopper } = await shopperWithCart(box, 1999);
  provider.after = () => {
    throw new TypeError('socket hang up with secret details');
  };
  const broken = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  t.match(broken, { status: 502, body: { code: 'payment_provider_failed' } });
  t.notMatch(JSON.stringify(broken.body), /secret details/);
  provider.after = () => {};
  const opened = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  t.equal(opened.status, 201);
  t.strictSame([...provider.payments.keys()], [opened.body.id], 'one payment was created');
});

t.test('a payment is attached to its order; steps that its state does not allow are refused', async (t) => {
  const db = contribute(t, box, new TestProvider());
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const { body } = await box.staff.get(`/admin/payments?orderId=${orderId}`);
  t.match(
    body.items,
    exactly([
      {
        id,
        provider: 'test',
        method: 'card',
        status: 'pending',
        amount: { amount: 2500, currency: 'EUR' },
        captured: { amount: 0 },
        reference: `re_${id}`,
        transactions: [{ type: 'initiate', status: 'succeeded', actor: { type: 'shopper', id: null } }],
      },
    ]),
  );
  t.equal(await statusOf(box, orderId), 'unpaid', 'no money has moved yet');
  const recorded = (await pay(box, orderId, 2500)).body;
  t.equal(recorded.status, 'captured', 'the order can still be paid offline');
  for (const [payment, steps] of [
    [id, ['capture', 'refunds']],
    [recorded.id, ['capture']],
  ] as const) {
    for (const step of steps) {
      const response = await box.staff.post(`/admin/payments/${payment}/${step}`);
      t.match(response, { status: 409, body: { code: 'payment_step_not_possible' } }, step);
    }
  }
});
