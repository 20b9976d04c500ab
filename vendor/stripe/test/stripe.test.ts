/**
 * The Stripe adapter against a real server with Stripe's HTTP API.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confirmPayment, startPayment } from '@carton/payment';
import { newId } from '@carton/runtime';
import type { TestTenant } from '@carton/runtime/testing';
import { exactly } from '@carton/runtime/testing';
import { cardSales, enableWebhooks, type Operation, openStripeTenant } from '@carton/stripe/testing';
import t from 'tap';
import { fromStripe, stepOf, toStripe } from '../amounts.ts';
import { packages, statusOf, timelineOf } from './helpers.ts';

const tenant = await openStripeTenant(t, { packages });
const { box, simulator, shopper } = tenant;
const { begin, order, setMode } = cardSales(tenant);
const eur = (amount: number) => ({ amount: { amount, currency: 'EUR' } });
const read = async (id: string, at: TestTenant = box) => (await at.staff.get(`/admin/payments/${id}`)).body;
const step = (id: string, what: string, body?: unknown) => box.staff.post(`/admin/payments/${id}/${what}`, body);
const entryOf = (id: string) => simulator.ledger().find(({ metadata }) => metadata.payment_id === id);

/** Lets the next call of an operation fail. */
function failNext(operation: Operation, moment: 'before' | 'after', fault: { lose: true } | { status: number }): void {
  const previous = simulator.faults;
  simulator.faults = (at, when) => {
    if (at !== operation || when !== moment) return null;
    // The library retries once.
    if (simulator.calls.filter((call) => call === operation).length >= calls + 2) simulator.faults = previous;
    return fault;
  };
  const calls = simulator.calls.filter((call) => call === operation).length;
}

t.test('amounts are multiples of what Stripe can charge, in minor units of the box', async (t) => {
  const steps = {
    EUR: 1,
    JPY: 1,
    ISK: 1,
    UGX: 1,
    HUF: 1,
    KWD: 10,
    BHD: 10,
    JOD: 10,
    OMR: 10,
    TND: 10,
    IQD: 10,
    MGA: 100,
  };
  for (const [currency, step] of Object.entries(steps)) {
    t.equal(stepOf(currency), step, currency);
    t.doesNotThrow(() => toStripe({ amount: step, currency }));
  }
});

t.test('a card is authorized by the shopper and captured when the order is placed', async (t) => {
  t.match((await box.visitor().get('/payment-methods')).body, {
    items: exactly([{ provider: 'stripe', code: 'card' }]),
  });
  const paid = await begin(2500, 'pm_card_visa');
  t.match(paid.started, { reference: /^pi_/, nextAction: { type: 'client_secret', value: /_secret_/ } });
  t.equal(paid.started.nextAction?.publicKey, 'pk_test_simulator');
  t.match(entryOf(paid.started.id), {
    amount: 2500,
    held: 2500,
    captured: 0,
    metadata: { payment_id: paid.started.id, tenant_id: box.id, cart_id: paid.cartId },
  });
  const { orderId, id } = await order(paid);
  t.match(await read(id), { status: 'captured', captured: { amount: 2500 } });
  t.equal(await statusOf(box, orderId), 'paid');
  t.match(entryOf(id), { held: 0, captured: 2500, duplicates: 0 });
});

t.test('a declined card is refused, and the shopper can use another', async (t) => {
  const declined = await begin(2500, 'pm_card_chargeDeclined');
  await t.rejects(confirmPayment(box.db, declined.started), {
    message: 'The payment failed. Choose another payment method.',
  });
  t.match(entryOf(declined.started.id), { status: 'canceled' }, 'it can no longer be paid');
  const undecided = await begin(2500, 'pm_card_authenticationRequired');
  const { orderId, id } = await order(undecided);
  t.match(await read(id), { status: 'pending' }, 'the order is placed while the bank still asks the shopper');
  enableWebhooks(tenant);
  await shopper.pay(undecided.started.nextAction?.value as string);
  await simulator.webhooks.flush();
  t.equal(await statusOf(box, orderId), 'paid');
  simulator.listen([]);
});

t.test('a partial capture releases the rest; refunds in parts', async (t) => {
  await setMode('manual');
  const { orderId, id } = await order(await begin(2500, 'pm_card_visa'));
  t.match(await read(id), { status: 'authorized' });
  t.match(await step(id, 'capture', eur(1000)), {
    status: 200,
    body: { status: 'captured', captured: { amount: 1000 } },
  });
  t.equal(await statusOf(box, orderId), 'partially_paid');
  t.strictSame((await timelineOf(box, orderId)).slice(0, 2), [
    'Voided 15.00 EUR by card',
    'Received 10.00 EUR by card',
  ]);
  t.match(await step(id, 'capture'), { status: 409 });
  t.match(await step(id, 'refunds', eur(300)), { status: 201 });
  t.match(await step(id, 'refunds', eur(701)), { status: 409 });
  t.match(await step(id, 'refunds'), { status: 201, body: { amount: { amount: 700 } } });
  t.match(entryOf(id), { held: 0, captured: 1000, refunded: 1000, duplicates: 0 });
  t.match(await read(id), { refunded: { amount: 1000 } }, 'what was never captured does not count as refunded');

  const voided = await order(await begin(2500, 'pm_card_visa'));
  t.match(await step(voided.id, 'void'), { status: 200, body: { status: 'voided' } });
  t.match(entryOf(voided.id), { status: 'canceled', held: 0 });
});

t.test('a step that fails because of a change at the provider takes over its state', async (t) => {
  await setMode('manual');
  const account = simulator.account();
  const cases: [string, (reference: string) => unknown, string, object][] = [
    ['canceled', (reference) => account.cancel(reference), 'capture', { status: 'voided' }],
    [
      'captured in part',
      (reference) => account.capture(reference, { amount_to_capture: '400' }),
      'capture',
      { captured: { amount: 400 } },
    ],
    [
      'captured',
      (reference) => account.capture(reference, {}),
      'void',
      { status: 'captured', captured: { amount: 2500 } },
    ],
  ];
  for (const [what, change, requested, expected] of cases) {
    const { id } = await order(await begin(2500, 'pm_card_visa'));
    change((await read(id)).reference);
    t.match(
      await step(id, requested),
      { status: 409, body: { code: 'payment_refused', detail: /^The payment is / } },
      what,
    );
    t.match(await read(id), expected, what);
    t.equal((await read(id)).transactions.filter(({ status }: { status: string }) => status === 'pending').length, 0);
  }
  const { id } = await order(await begin(2500, 'pm_card_visa'));
  await step(id, 'capture');
  account.refund({ payment_intent: (await read(id)).reference, amount: '2500' });
  t.match(
    await step(id, 'refunds', eur(100)),
    { status: 201 },
    'everything is refunded already, and so is this amount',
  );
  t.match(await read(id), { refunded: { amount: 2500 } });
});

t.test('a step whose response is lost stays pending, and takes effect once', async (t) => {
  await setMode('manual');
  for (const [what, done] of [
    ['capture', { captured: 2500 }],
    ['void', { status: 'canceled' }],
    ['refunds', { captured: 2500, refunded: 2500 }],
  ] as const) {
    for (const moment of ['before', 'after'] as const) {
      for (const fault of [
        { lose: true },
        { status: 500 },
        ...(moment === 'before' ? [{ status: 429 }] : []),
      ] as const) {
        const { id } = await order(await begin(2500, 'pm_card_visa'));
        if (what === 'refunds') await step(id, 'capture');
        const operation = what === 'void' ? 'cancel' : what === 'refunds' ? 'refund' : what;
        failNext(operation, moment, fault);
        const name = `${what}, ${moment} ${JSON.stringify(fault)}`;
        const broken = await step(id, what);
        // The library's retry may find it done.
        t.ok([502, 200, 201].includes(broken.status), name);
        simulator.faults = () => null;
        if (broken.status === 502) t.notMatch((await step(id, what)).status, 502, name);
        t.match(entryOf(id), done, name);
        t.match(await read(id), {
          captured: { amount: entryOf(id)?.captured },
          refunded: { amount: entryOf(id)?.refunded },
          status: what === 'void' ? 'voided' : 'captured',
        });
      }
    }
  }
});

t.test('a session whose response is lost creates no second payment', async (t) => {
  for (const moment of ['before', 'after'] as const) {
    const payment = { cartId: newId(), method: 'card', ...eur(2500), email: null };
    failNext('create', moment, { lose: true });
    const known = simulator.ledger().length;
    const first = await startPayment(box.db, payment).catch(({ type }) => type.code);
    simulator.faults = () => null;
    const started = await startPayment(box.db, { ...payment, email: 'ada@example.com' });
    t.ok(first === 'payment_provider_failed' || first.id === started.id);
    t.equal(simulator.ledger().length, known + 1);
  }
});

t.test('a server error that the provider replays for a key does not block retries', async (t) => {
  let faults = 2;
  simulator.faults = (at, moment) => (at === 'create' && moment === 'after' && faults-- > 0 ? { status: 500 } : null);
  const payment = { cartId: newId(), method: 'card', ...eur(2500), email: null };
  const paid = { cartId: payment.cartId, started: await startPayment(box.db, payment) };
  t.equal((await startPayment(box.db, payment)).reference, paid.started.reference);
  await shopper.pay(paid.started.nextAction?.value as string);
  await setMode('manual');
  const { id } = await order(paid);
  await step(id, 'capture');
  simulator.faults = (at, moment) => (at === 'refund' && moment === 'after' ? { status: 500 } : null);
  await step(id, 'refunds', eur(500));
  simulator.faults = () => null;
  await step(id, 'refunds', eur(300));
  const entry = simulator.ledger().find(({ reference }) => reference === paid.started.reference);
  t.match(entry, { captured: 2500, refunded: 800 });
  t.match(await read(id), { refunded: { amount: 800 } });
});

t.test('rejected credentials and amounts are reported without secrets', async (t) => {
  const bad = await openStripeTenant(
    t,
    { packages },
    { STRIPE_SECRET_KEY: 'sk_test_unknown', STRIPE_WEBHOOK_SECRET: '' },
  );
  const payment = { cartId: newId(), method: 'card', ...eur(2500), email: null };
  await t.rejects(startPayment(bad.box.db, payment), {
    type: { code: 'payment_provider_failed' },
    message: "The provider rejects the store's credentials.",
  });
  const response = await bad.box.visitor().post('/payments/webhooks/stripe', {});
  t.match(response, { status: 400, body: { detail: 'No webhook secret is configured.' } });
  await t.rejects(begin(19_999, undefined, box, 'KWD'), { message: /takes multiples of 0.010 KWD only/ });
});

t.test('tenants use accounts of their own', async (t) => {
  const file = join(t.testdir(), 'accounts.json');
  const slug = 'own-account';
  writeFileSync(file, JSON.stringify({ [slug]: { secretKey: 'sk_test_own', webhookSecret: 'whsec_own' } }));
  chmodSync(file, 0o600);
  const accounts = { sk_test_simulator: [], sk_test_own: [] };
  const many = await openStripeTenant(t, { packages }, { STRIPE_ACCOUNTS: file, STRIPE_SECRET_KEY: '' }, { accounts });
  const own = await many.box.openTenant(slug);
  t.match((await own.visitor().get('/payment-methods')).body, { items: exactly([{ code: 'card' }]) });
  t.match(
    (await many.box.visitor().get('/payment-methods')).body,
    { items: exactly([]) },
    'a tenant without an account offers no card',
  );
  const { started } = await begin(2500, undefined, own);
  t.match(started.nextAction, { publicKey: undefined });
  t.match(
    many.simulator.ledger('sk_test_own'),
    exactly([{ reference: started.reference, metadata: { tenant_id: own.id } }]),
  );
  t.strictSame(many.simulator.ledger('sk_test_simulator'), []);
});

t.test("amounts are converted exactly to Stripe's units", async (t) => {
  for (const [currency, ours, theirs] of [
    ['EUR', 1999, 1999],
    ['JPY', 1999, 1999],
    ['HUF', 1999, 1999],
    ['ISK', 5, 500],
    ['UGX', 500, 50000],
    ['KWD', 19990, 19990],
    ['MGA', 700, 7],
    ['IDR', 1500, 1500],
  ] as const) {
    t.equal(toStripe({ amount: ours, currency }), theirs, currency);
    t.equal(fromStripe(theirs, currency), ours, currency);
  }
  for (const [currency, amount] of [
    ['KWD', 19_999],
    ['LYD', 12_345],
    // Stripe takes whole ariary only.
    ['MGA', 750],
  ] as const) {
    t.throws(() => toStripe({ amount, currency }), { message: /exactly/ });
  }
});
