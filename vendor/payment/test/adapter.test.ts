import {
  beginPayment,
  keepPayment,
  type PaymentAdapter,
  type PaymentIntent,
  paymentProviderFailed,
} from '@carton/payment';
import { newId } from '@carton/runtime';
import type { TestShop } from '@carton/runtime/testing';
import t from 'tap';
import { contribute, openBox, pay, place, statusOf } from './helpers.ts';

const box = await openBox(t);
const message = 'Payments are not configured in this environment';
const notConfigured = {
  status: 503,
  body: { code: 'payments_not_configured', status: 503, title: message, detail: message },
};

/** A provider that sends the shopper to its own page, and refuses amounts of 13. */
class RedirectProvider implements PaymentAdapter {
  readonly name = 'redirect';
  readonly intents: PaymentIntent[] = [];
  readonly #methods = ['card', 'wallet'];

  methods() {
    return this.#methods;
  }

  async initiate(intent: PaymentIntent) {
    if (intent.amount.amount === 13) throw paymentProviderFailed('The provider refuses this amount.');
    this.intents.push(intent);
    const reference = `re_${this.intents.length}`;
    return { reference, nextAction: { type: 'redirect' as const, value: `https://pay.example/${reference}` } };
  }
}

function intentOf(over: Partial<PaymentIntent> = {}): PaymentIntent {
  const amount = { amount: 2500, currency: 'EUR' };
  return { resource: { type: 'order', id: newId() }, method: 'card', amount, email: null, ...over };
}

let products = 0;

/** A shopper with one piece of a new product in the cart. */
async function shopperWithCart(shop: TestShop, price: number) {
  const product = await shop.staff.post('/admin/products', {
    title: `Product ${++products}`,
    status: 'published',
    variants: [{ sku: `SKU-${products}` }],
  });
  const variantId = product.body.variants[0].id;
  await shop.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: price }] });
  const item = (await shop.staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items[0];
  await shop.staff.post(`/admin/stock-items/${item.id}/adjustments`, { quantity: 5, reason: 'received' });
  const shopper = shop.shopper();
  const added = await shopper.post('/cart/items', { variantId, quantity: 1 });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  return { shopper, cart: added.body };
}

t.test('with the default adapter nothing is offered and every step is 503', async (t) => {
  t.match(await box.visitor().get('/payment-methods'), { status: 200, body: { items: [] } });
  const session = { paymentMethod: 'card' };
  t.match(await box.visitor().post('/cart/payment-sessions', session), notConfigured);
  const { shopper } = await shopperWithCart(box, 2500);
  t.match(await shopper.post('/cart/payment-sessions', session), notConfigured);
  await t.rejects(beginPayment(box.db, intentOf()), { type: { code: 'payments_not_configured' }, message });

  const order = await place(box, 2500);
  const { id } = (await pay(box, order.id, 1000)).body;
  const part = { amount: { amount: 100, currency: 'EUR' } };
  for (const step of ['capture', 'void', 'refunds']) {
    t.match(await box.staff.post(`/admin/payments/${id}/${step}`), notConfigured, step);
    if (step !== 'void') t.match(await box.staff.post(`/admin/payments/${id}/${step}`, part), notConfigured, step);
    const headers = { 'idempotency-key': newId() };
    t.match(await box.staff.post(`/admin/payments/${id}/${step}`, undefined, { headers }), notConfigured);
    t.match(await box.staff.post(`/admin/payments/${newId()}/${step}`), { status: 404, body: { code: 'not_found' } });
    t.match(await box.visitor().post(`/admin/payments/${id}/${step}`), { status: 401 });
  }
  for (const body of [{ amount: 100 }, { amount: { amount: 0, currency: 'EUR' } }, { part: 1 }]) {
    t.match(await box.staff.post(`/admin/payments/${id}/capture`, body), { status: 400 });
  }
  t.equal(await statusOf(box, order.id), 'partially_paid');
});

t.test('the last adapter contributed is bound: its methods are offered, and no other', async (t) => {
  const provider = new RedirectProvider();
  const other: PaymentAdapter = { ...new RedirectProvider(), name: 'other', methods: () => ['cash'], initiate: fail };
  const db = contribute(t, box, other, provider);
  t.match(await box.visitor().get('/payment-methods'), {
    status: 200,
    body: {
      items: [
        { code: 'card', provider: 'redirect' },
        { code: 'wallet', provider: 'redirect' },
      ],
    },
  });
  await t.rejects(beginPayment(db, intentOf({ method: 'cash' })), {
    type: { code: 'payment_method_unknown', status: 400 },
    errors: [{ pointer: '/paymentMethod', detail: 'must be one of card, wallet' }],
  });
  t.strictSame(provider.intents, []);
});

async function fail(): Promise<never> {
  throw new Error('not bound');
}

t.test('a session is opened for what the cart comes to', async (t) => {
  const provider = new RedirectProvider();
  contribute(t, box, provider);
  const { shopper, cart } = await shopperWithCart(box, 1999);
  const opened = await shopper.post('/cart/payment-sessions', { paymentMethod: 'wallet' });
  t.match(opened, {
    status: 201,
    body: {
      provider: 'redirect',
      method: 'wallet',
      amount: { amount: 1999, currency: 'EUR' },
      reference: 're_1',
      nextAction: { type: 'redirect', value: 'https://pay.example/re_1' },
    },
  });
  t.match(provider.intents, [{ resource: { type: 'cart', id: cart.id }, method: 'wallet', email: null }]);

  const cases: [string, Awaited<ReturnType<typeof shopper.post>>, unknown][] = [
    [
      'an unknown method',
      await shopper.post('/cart/payment-sessions', { paymentMethod: 'cash' }),
      { status: 400, body: { code: 'payment_method_unknown', errors: [{ pointer: '/paymentMethod' }] } },
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
      { status: 502, body: { code: 'payment_provider_failed', detail: 'The provider refuses this amount.' } },
    ],
  ];
  for (const [name, answer, expected] of cases) t.match(answer, expected as object, name);
});

t.test(
  'a payment that was begun is kept with its order, and no step is possible before it is authorized',
  async (t) => {
    const db = contribute(t, box, new RedirectProvider());
    const order = await place(box, 2500);
    const begun = await beginPayment(db, intentOf({ resource: { type: 'order', id: order.id } }));
    await box.db.transaction((tx) => keepPayment(tx, order.id, begun));
    const { body } = await box.staff.get(`/admin/payments?orderId=${order.id}`);
    t.match(body.items, [
      {
        provider: 'redirect',
        method: 'card',
        status: 'pending',
        amount: { amount: 2500, currency: 'EUR' },
        reference: 're_1',
        transactions: [{ type: 'initiate', actor: { type: 'shopper', id: null } }],
      },
    ]);
    t.equal(await statusOf(box, order.id), 'unpaid', 'no money has moved');
    const recorded = (await pay(box, order.id, 2500)).body;
    t.equal(recorded.status, 'captured', 'it may be paid offline all the same');
    for (const { id, provider } of [body.items[0], recorded]) {
      for (const step of ['capture', 'void', 'refunds']) {
        const answer = await box.staff.post(`/admin/payments/${id}/${step}`);
        t.match(answer, { status: 409, body: { code: 'payment_step_not_possible' } }, `${provider} ${step}`);
      }
    }
  },
);
