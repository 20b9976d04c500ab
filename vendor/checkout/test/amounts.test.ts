/**
 * A provider moves some amounts only: a method that cannot charge what is left to pay is not listed, and refused with the
 * reason, by every way to choose it. Parts that cannot be captured or refunded are refused before a step is stored.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { exactly, type TestTenant } from '@carton/runtime/testing';
import { openStripeTenant } from '@carton/stripe/testing';
import t from 'tap';
import { buyer } from './helpers.ts';

const {
  box,
  simulator,
  shopper: browser,
} = await openStripeTenant(t, { tier: 'basic' }, { PAYMENT_ADAPTERS: 'stripe,manual' });
const method = { paymentMethod: 'card' };
const inSteps = 'The provider takes multiples of 0.010 KWD only. Choose another payment method.';
const unavailable = (detail: string) => ({ status: 409, body: { code: 'payment_method_unavailable', detail } });

async function storeIn(currency: string): Promise<TestTenant> {
  const store = await box.openTenant();
  await store.staff.patch('/admin/store', { defaultCurrency: currency });
  return store;
}
async function shopperFor(store: TestTenant, amount: number, currency: string) {
  return shopperWith(store, [await createForSale(store, amount, { currencies: [currency] }), 1]);
}
type Shopper = Awaited<ReturnType<typeof shopperFor>>;
const listed = async (shopper: Shopper, query = ''): Promise<string[]> =>
  (await shopper.get(`/payment-methods${query}`)).body.items.map(({ code }: { code: string }) => code);

t.test('every way to choose a method that cannot charge the total says so', async (t) => {
  const store = await storeIn('KWD');
  const shopper = await shopperFor(store, 1001, 'KWD');
  const others = ['bank_transfer', 'cash_on_delivery'];
  t.strictSame(await listed(store.shopper()), ['card', ...others], 'without a cart all are listed');
  t.strictSame(await listed(shopper), others);
  t.match((await shopper.get('/checkout?paymentMethod=card')).body, {
    ready: false,
    requirements: exactly([{ code: 'payment_method_unavailable', detail: inSteps, pointer: '/paymentMethod' }]),
  });
  t.equal((await shopper.get('/checkout?paymentMethod=bank_transfer')).body.ready, true);
  const unknown = { code: 'payment_method_unknown', detail: 'shells is not offered.', pointer: '/paymentMethod' };
  t.match((await shopper.get('/checkout?paymentMethod=shells')).body, {
    ready: false,
    requirements: exactly([unknown]),
  });
  t.match(await shopper.post('/checkout', { ...buyer, paymentMethod: 'shells' }), {
    status: 400,
    body: { code: 'payment_method_unknown' },
  });
  t.match(await shopper.post('/cart/payment-sessions', method), unavailable(inSteps));
  t.match(await shopper.post('/checkout', { ...buyer, ...method }), unavailable(inSteps));
  const placed = await shopper.post('/checkout', buyer);
  t.equal(placed.status, 201, 'the cart is as it was');
  const { id } = placed.body;
  t.match(await shopper.post(`/checkout/${id}/payment-sessions`, method), unavailable(inSteps));
  t.strictSame(await listed(shopper, `?orderId=${id}`), others);
  t.strictSame(await listed(shopper, `?orderId=${newId()}`), ['card', ...others], 'the id of no order');
  t.strictSame((await store.staff.get(`/admin/payments?orderId=${id}`)).body.items, []);
  t.strictSame(simulator.ledger(), [], 'the provider was not asked');
  const paid = { method: 'cash', amount: { amount: 1, currency: 'KWD' } };
  await store.staff.post(`/admin/orders/${id}/payments`, paid);
  t.strictSame(await listed(shopper, `?orderId=${id}`), ['card', ...others], 'what is left can be charged');
  t.equal((await shopper.post(`/checkout/${id}/payment-sessions`, method)).status, 201);
});

t.test('the least and the greatest amount', async (t) => {
  for (const [currency, amount, detail] of [
    ['EUR', 49, 'The provider charges no less than 0.50 EUR. Choose another payment method.'],
    ['EUR', 50, null],
    ['EUR', 99_999_999, null],
    ['EUR', 100_000_000, 'The provider charges no more than 999999.99 EUR. Choose another payment method.'],
    ['JPY', 49, 'The provider charges no less than 50 JPY. Choose another payment method.'],
    ['JPY', 50, null],
    ['KWD', 1010, null],
    ['KWD', 100_000_000, 'The provider charges no more than 99999.990 KWD. Choose another payment method.'],
    ['MGA', 150_050, 'The provider takes multiples of 1.00 MGA only. Choose another payment method.'],
    ['MGA', 150_000, null],
  ] as const) {
    const shopper = await shopperFor(await storeIn(currency), amount, currency);
    t.equal((await listed(shopper)).includes('card'), detail === null, `${amount} ${currency}`);
    const answer = await shopper.post('/cart/payment-sessions', method);
    if (detail === null) t.equal(answer.status, 201);
    else t.match(answer, unavailable(detail));
  }
});

t.test('parts that the provider cannot move are refused before they are stored', async (t) => {
  const store = await storeIn('KWD');
  const shopper = await shopperFor(store, 1010, 'KWD');
  const { items: methods } = (await store.staff.get('/admin/payment-methods')).body;
  const [card] = methods.filter(({ code }: { code: string }) => code === 'card');
  await store.staff.patch(`/admin/payment-methods/${card.id}`, { captureMode: 'manual' });
  const { body: session } = await shopper.post('/cart/payment-sessions', method);
  await browser.pay(session.nextAction.value, 'pm_card_visa');
  t.equal((await shopper.post('/checkout', { ...buyer, ...method })).status, 201);
  const step = (what: string, amount: number) =>
    store.staff.post(`/admin/payments/${session.id}/${what}`, { amount: { amount, currency: 'KWD' } });
  const refused = {
    status: 409,
    body: { code: 'payment_refused', detail: 'The provider takes multiples of 0.010 KWD only.' },
  };
  const stepsOf = async () =>
    (
      await store.db.query<{ type: string; status: string }>(
        'select type, status from payment_transactions where tenant_id = $1 order by created_at',
      )
    ).map(({ type, status }) => `${type} ${status}`);
  const before = await stepsOf();
  t.match(await step('capture', 1001), refused);
  t.strictSame(await stepsOf(), before);
  t.equal((await step('capture', 1010)).status, 200);
  t.match(await step('refunds', 1), refused);
  t.equal((await step('refunds', 10)).status, 201, 'less than the least charge');
  t.strictSame(await stepsOf(), [...before, 'capture succeeded', 'refund succeeded']);
});
