/**
 * The adapter of the example keeps what every adapter must, and sells something in a box that has it.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { testPaymentAdapter } from '@carton/payment/testing';
import { bodyOf, createTestBox, exactly, packagesOfTier } from '@carton/runtime/testing';
import t from 'tap';
import { startAcme } from './acme.ts';

const [key, secret] = ['key-of-the-box', 'secret-of-its-webhooks'];
const acme = await startAcme(key, secret);
t.teardown(acme.stop);
const account = { ACME_PAY_URL: acme.url, ACME_PAY_KEY: key, ACME_PAY_WEBHOOK_SECRET: secret };
const packages = [...packagesOfTier('basic'), '@example/payments'];
const box = await createTestBox(t, {
  tier: 'basic',
  packages,
  environment: { PAYMENT_ADAPTERS: 'acme-pay,manual', ...account },
});

t.test('the contract', (t) => {
  const adapter = paymentAdapters.of(box.box.database).find(({ name }) => name === 'acme-pay');
  if (!adapter) throw new Error('the package contributes no adapter');
  testPaymentAdapter(t, {
    ...{ adapter, db: box.db },
    authorize: async ({ reference }) => acme.authorize(reference),
    report: ({ reference }) => acme.report(reference),
  });
  t.end();
});

t.test('a shopper pays an order, which a webhook authorizes', async (t) => {
  t.match((await box.visitor().get('/payment-methods')).body.items[0], { provider: 'acme-pay', code: 'acme' });
  const shopper = await shopperWith(box, [await createForSale(box, 2500, { stock: 5 }), 1]);
  const buyer = { customer: { email: 'ada@example.com' }, paymentMethod: 'acme' };
  const order = await bodyOf(shopper.post('/checkout', buyer));
  t.match(order, { status: 'pending', payment: { nextAction: { type: 'redirect' } } });
  const payments = () => bodyOf(box.staff.get(`/admin/payments?orderId=${order.id}`));
  const { reference } = (await payments()).items[0];
  acme.authorize(reference);
  const { headers, body } = acme.report(reference);
  const sent = { headers: { ...headers, 'content-type': 'application/json' } };
  t.equal((await box.visitor().post('/payments/webhooks/acme-pay', body.toString(), sent)).status, 204);
  t.match(await bodyOf(box.staff.get(`/admin/orders/${order.id}`)), { status: 'placed', paymentStatus: 'paid' });
  t.match(await payments(), { items: exactly([{ provider: 'acme-pay', status: 'captured' }]) });
  t.match(acme.stateOf(reference), { captured: 2500 });
});

t.test('a box whose settings name it needs its account', async (t) => {
  const start = createTestBox(t, { tier: 'basic', packages, environment: { PAYMENT_ADAPTERS: 'acme-pay' } });
  await t.rejects(start, { message: /ACME_PAY_URL/ });
});
