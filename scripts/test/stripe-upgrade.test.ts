/**
 * Starts the database of release 0.2.0, in which Stripe was part of the packages of payments and taxes, with this one: its
 * settings, methods, open sessions and stored references of Stripe go on working, and webhooks come to the same path.
 */
import { ageByTwoDays } from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import { bodyOf, callerOf, createTestBox, exactly, until } from '@carton/runtime/testing';
import { Shopper, startSimulator, webhookSecret } from '@carton/stripe/testing';
import t from 'tap';
import { reconcile } from '../../vendor/payment/reconcile.ts';
import { startUpgraded, undoLaterMigrations, writeFormerOrder } from './support/former-schema.ts';

const simulator = await startSimulator();
t.teardown(() => simulator.stop());
const account = simulator.account();
const browser = new Shopper(simulator.url);

const former = await createTestBox(t, { idleJobs: true });
const run = (text: string, values: unknown[]) => former.owner.query(text, values);
await undoLaterMigrations(former);

/** Creates the intent of a payment at Stripe, as the former release did. */
function intentOf(paymentId: string) {
  const metadata = { payment_id: paymentId, tenant_id: former.id };
  return account.create({ amount: '3000', currency: 'eur', capture_method: 'manual', metadata });
}

const actionOf = (secret: string) => JSON.stringify({ type: 'client_secret', value: secret, publicKey: 'pk_test_1' });

/** An order whose shopper has opened a payment by its link, and not paid yet. */
async function orderWithSession() {
  const { id, payments } = await writeFormerOrder(run, former.id, {
    payments: [{ amount: 3000, provider: 'stripe', captured: 0, status: 'pending' }],
  });
  const paymentId = payments[0] as string;
  const intent = intentOf(paymentId);
  await run('update payments set reference = $3 where tenant_id = $1 and id = $2', [former.id, paymentId, intent.id]);
  await run(
    `insert into payment_sessions (tenant_id, id, order_id, status, provider, method, capture_mode, currency, amount,
                                   reference, next_action, check_at)
     values ($1, $2, $3, 'used', 'stripe', 'card', 'manual', 'EUR', 3000, $4, $5, now() + interval '1 minute')`,
    [former.id, paymentId, id, intent.id, actionOf(intent.client_secret)],
  );
  return { id, paymentId, intent };
}

/** The open session of a cart. */
async function cartSession() {
  const id = newId();
  const intent = intentOf(id);
  await run(
    `insert into payment_sessions (tenant_id, id, cart_id, provider, method, capture_mode, currency, amount, reference,
                                   next_action)
     values ($1, $2, $3, 'stripe', 'card', 'manual', 'EUR', 3000, $4, $5)`,
    [former.id, id, newId(), intent.id, actionOf(intent.client_secret)],
  );
  return { id, intent };
}

const reported = await orderWithSession();
const unreported = await orderWithSession();
const abandoned = await cartSession();
await run(
  `insert into payment_methods (tenant_id, id, provider, code, enabled, position, capture_mode, name)
   values ($1, $2, 'stripe', 'card', true, 7, 'manual', 'By card')`,
  [former.id, newId()],
);
await run(`update stores set settings = '{"tax": {"provider": "stripe", "fallback": "reject"}}' where tenant_id = $1`, [
  former.id,
]);

const { upgraded, staff } = await startUpgraded(t, former, {
  environment: {
    PAYMENT_ADAPTERS: 'stripe,manual',
    STRIPE_SECRET_KEY: 'sk_test_simulator',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: simulator.url,
    TAX_PROVIDERS: 'stripe',
    TAX_STRIPE_API_URL: simulator.url,
  },
});
const db = upgraded.database.forTenant(former.id);
const statusOf = async (id: string) => (await bodyOf(staff.get(`/admin/orders/${id}`))).paymentStatus;
const path = `${upgraded.url}/payments/webhooks/stripe`;

t.test('settings of the store and of the method are as they were', async (t) => {
  t.match((await bodyOf(staff.get('/admin/store'))).settings.tax, { provider: 'stripe', fallback: 'reject' });
  t.match(await bodyOf(callerOf(upgraded.url, {}).get('/payment-methods')), {
    items: exactly([
      { provider: 'manual', code: 'bank_transfer' },
      { provider: 'manual', code: 'cash_on_delivery' },
      { provider: 'stripe', code: 'card', name: 'By card' },
    ]),
  });
});

t.test('a webhook at the former path authorizes the order', async (t) => {
  t.equal(await statusOf(reported.id), 'unpaid');
  simulator.listen([{ url: path, secret: webhookSecret }]);
  t.equal(await browser.pay(reported.intent.client_secret), 'requires_capture');
  await until(
    () => statusOf(reported.id),
    (status) => status === 'authorized',
  );
  await simulator.webhooks.flush();
  t.equal(simulator.webhooks.abandoned, 0);
  t.match(await staff.post(`/admin/payments/${reported.paymentId}/capture`), {
    status: 200,
    body: { status: 'captured', provider: 'stripe', reference: reported.intent.id },
  });
  t.equal(account.find(reported.intent.id).amount_received, 3000);
});

t.test('reconciliation finds what was not reported', async (t) => {
  simulator.listen([]);
  t.equal(await browser.pay(unreported.intent.client_secret), 'requires_capture');
  t.equal(await browser.pay(abandoned.intent.client_secret), 'requires_capture');
  t.equal(await statusOf(unreported.id), 'unpaid');
  await ageByTwoDays(db);
  await reconcile(db);
  t.equal(await statusOf(unreported.id), 'authorized');
  t.equal(account.find(unreported.intent.id).status, 'requires_capture', 'held, as its method captures');
  t.equal(account.find(abandoned.intent.id).status, 'canceled', 'a payment without an order is released');
});
