/**
 * Orders paid online: one order and one payment, whatever is interrupted between them.
 */
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { createTestBox, exactly, until } from '@carton/runtime/testing';
import pg from 'pg';
import t from 'tap';
import { bindProvider, buyer, createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const mug = await createArticle(box, 'mug', 1250, 1000);
// Stock reservations of payments are tested in reservations.test.ts.
await box.staff.patch('/admin/checkout-settings', { reservationMinutes: 0 });
const withCard = { ...buyer, paymentMethod: 'card' };

async function updateMethod(patch: object): Promise<void> {
  const [{ id }] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${id}`, patch);
}

const paymentsOf = async (orderId: string) => (await box.staff.get(`/admin/payments?orderId=${orderId}`)).body.items;

t.test("the order is placed with its payment and captured by the method's mode", async (t) => {
  const provider = bindProvider(box, t);
  for (const [captureMode, confirmed, expected] of [
    ['automatic', 'authorized', 'paid'],
    ['manual', 'authorized', 'authorized'],
    ['automatic', 'pending', 'unpaid'],
  ] as const) {
    await updateMethod({ captureMode });
    provider.confirmed = confirmed;
    provider.calls.length = 0;
    const shopper = await shopperWith(box, [mug, 2]);
    const placed = await shopper.post('/checkout', withCard);
    t.match(placed, {
      status: 201,
      body: {
        status: confirmed === 'pending' ? 'pending' : 'placed',
        paymentStatus: expected,
        totals: { total: { amount: 2500 } },
      },
    });
    t.equal(placed.headers.get('location'), `/checkout/${placed.body.id}`);
    t.match(
      await paymentsOf(placed.body.id),
      exactly([{ provider: 'test', method: 'card', amount: { amount: 2500 } }]),
    );
    const capture = expected === 'paid' ? ['capture 2500'] : [];
    t.strictSame(provider.calls, ['initiate 2500', 'confirm 2500', ...capture], 'nothing is captured before the order');
  }
  await updateMethod({ captureMode: 'automatic' });
});

t.test("an open session becomes the order's payment", async (t) => {
  const provider = bindProvider(box, t);
  const shopper = await shopperWith(box, [mug, 1]);
  const opened = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  const placed = await shopper.post('/checkout', withCard);
  t.match(await paymentsOf(placed.body.id), exactly([{ id: opened.body.id, status: 'captured' }]));
  t.equal(provider.payments.size, 1);
});

t.test('a rejected checkout leaves cart, stock and orders unchanged and takes no money', async (t) => {
  const provider = bindProvider(box, t);
  const scarce = await createArticle(box, 'scarce', 700, 1);
  const late = await shopperWith(box, [scarce, 1]);
  await (await shopperWith(box, [scarce, 1])).post('/checkout', buyer);
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  provider.confirmed = 'failed';
  t.match(await shopper.post('/checkout', withCard), { status: 409, body: { code: 'payment_refused' } });
  provider.confirmed = 'authorized';
  t.match(await late.post('/checkout', withCard), { status: 409 }, 'no stock');
  t.match(await shopper.post('/checkout', { ...buyer, paymentMethod: 'cash' }), { status: 400 });
  provider.before = () => {
    throw new Error('unavailable');
  };
  t.match(await shopper.post('/checkout', withCard), { status: 502, body: { code: 'payment_provider_failed' } });
  provider.before = () => {};
  t.strictSame(await snapshot(box), before);
  t.notOk(provider.calls.some((call) => call.startsWith('capture')));
  t.match(
    await shopper.post('/checkout', withCard),
    { status: 201, body: { paymentStatus: 'paid' } },
    'a later attempt succeeds',
  );
});

t.test('the provider is not called if there is nothing to pay', async (t) => {
  const provider = bindProvider(box, t);
  const gift = await createArticle(box, 'gift', 0, 5);
  const placed = await (await shopperWith(box, [gift, 1])).post('/checkout', withCard);
  t.match(placed, { status: 201, body: { paymentStatus: 'paid' } });
  t.strictSame(provider.calls, []);
});

t.test('concurrent requests for one cart create one order with one payment', async (t) => {
  const provider = bindProvider(box, t);
  for (let round = 0; round < 5; round++) {
    const shopper = await shopperWith(box, [mug, 1]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => shopper.post('/checkout', withCard)));
    const placed = answers.filter(({ status }) => status === 201);
    t.ok(placed.length > 0);
    t.equal(new Set(placed.map(({ body }) => body.id)).size, 1);
    t.ok(
      answers.every(({ status, body }) => status === 201 || body.code === 'cart_empty'),
      JSON.stringify(answers.map(({ body }) => body.code)),
    );
    t.equal((await paymentsOf(placed[0]?.body.id)).length, 1);
    t.equal(provider.payments.size, round + 1);
  }
  t.equal(provider.calls.filter((call) => call.startsWith('capture')).length, 5);
});

t.test('the payment is voided if the cart is ordered without it in the meantime', async (t) => {
  const provider = bindProvider(box, t);
  for (const call of ['initiate', 'confirm']) {
    provider.payments.clear();
    const shopper = await shopperWith(box, [mug, 1]);
    provider.before = async (at) => {
      if (at === call) t.equal((await shopper.post('/checkout', buyer)).status, 201);
    };
    t.match(await shopper.post('/checkout', withCard), { status: 409, body: { code: 'cart_empty' } });
    t.match([...provider.payments.values()], exactly([{ status: 'voided' }]), call);
  }
  const sessions = await box.db.query("select id from payment_sessions where tenant_id = $1 and status = 'open'");
  t.strictSame(sessions, []);
});

t.test('a cart that changes while its payment starts is not ordered at the old price', async (t) => {
  const provider = bindProvider(box, t);
  const shopper = await shopperWith(box, [mug, 1]);
  provider.before = async (call) => {
    if (call !== 'confirm') return;
    provider.before = () => {};
    await shopper.post('/cart/items', { variantId: mug.variantId, quantity: 1 });
  };
  t.match(await shopper.post('/checkout', withCard), { status: 409, body: { code: 'cart_changed' } });
  const placed = await shopper.post('/checkout', withCard);
  t.match(placed, { status: 201, body: { paymentStatus: 'paid', totals: { total: { amount: 2500 } } } });
  t.equal(
    [...provider.payments.values()].filter(({ status }) => status === 'voided').length,
    1,
    'the old payment is voided',
  );
});

t.test('a method that is disabled during a checkout places no order', async (t) => {
  const provider = bindProvider(box, t);
  const shopper = await shopperWith(box, [mug, 1]);
  const before = await snapshot(box);
  provider.before = async (call) => {
    if (call === 'confirm') await updateMethod({ enabled: false });
  };
  const off = { status: 400, body: { code: 'payment_method_unknown' } };
  t.match(await shopper.post('/checkout', withCard), off);
  t.match(await shopper.post('/checkout', withCard), off);
  t.match(await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' }), off);
  t.strictSame(await snapshot(box), before);
  provider.before = () => {};
  for (let round = 0; round < 5; round++) {
    await updateMethod({ enabled: true });
    const current = await shopperWith(box, [mug, 1]);
    const [placed] = await Promise.all([current.post('/checkout', withCard), updateMethod({ enabled: false })]);
    t.ok([201, 400].includes(placed.status), `${placed.status}`);
    t.match(await (await shopperWith(box, [mug, 1])).post('/checkout', withCard), off);
  }
  await updateMethod({ enabled: true });
});

t.test('one idempotency key creates one order, wherever the process dies', async (t) => {
  const provider = bindProvider(box, t);
  for (const [moment, call] of [
    ['before', 'initiate'],
    ['after', 'initiate'],
    ['after', 'confirm'],
    ['before', 'capture'],
    ['after', 'capture'],
  ] as const) {
    const shopper = await shopperWith(box, [mug, 1]);
    const headers = { 'idempotency-key': newId() };
    const [reached, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider[moment] = (at) => {
      if (at !== call) return;
      provider[moment] = () => {};
      reached.resolve();
      return resume.promise;
    };
    const interrupted = shopper.post('/checkout', withCard, { headers });
    await reached.promise;
    const concurrent = await shopper.post('/checkout', withCard, { headers });
    t.match(concurrent, { status: 409, body: { code: 'idempotency_key_busy' } });
    t.ok(concurrent.headers.get('retry-after'));
    t.match(
      await shopper.post('/checkout', { ...withCard, notes: 'x' }, { headers }),
      { status: 409, body: { code: 'idempotency_key_reused' } },
      'another body',
    );
    await box.db.query(
      "update idempotency_keys set busy_until = now() - interval '1 s' where tenant_id = $1 and status is null",
    );
    await box.db.query(
      "update payment_transactions set tried_at = tried_at - interval '2 minutes' where tenant_id = $1 and status = 'pending'",
    );
    const placed = await shopper.post('/checkout', withCard, { headers });
    t.match(placed, { status: 201, body: { paymentStatus: 'paid' } }, `${moment} ${call}`);
    resume.resolve();
    await interrupted;
    const replay = await shopper.post('/checkout', withCard, { headers });
    t.equal(replay.status, 201);
    t.equal(replay.body.id, placed.body.id);
    const payments = await paymentsOf(placed.body.id);
    t.match(
      payments,
      exactly([{ status: 'captured', captured: { amount: 1250 }, transactions: [{}, {}, { type: 'capture' }] }]),
    );
    t.equal(provider.stateOf(payments[0].id).captured, 1250);
  }
  const orders = await box.db.query(
    'select cart_id, count(*) from orders where tenant_id = $1 group by 1 having count(*) > 1',
  );
  t.strictSame(orders, []);
});

t.test('a key stays busy while its work is in progress', async (t) => {
  const provider = bindProvider(box, t);
  const shopper = await shopperWith(box, [mug, 1]);
  const headers = { 'idempotency-key': newId() };
  const [reached, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  provider.before = (call) => {
    if (call !== 'capture') return;
    reached.resolve();
    return resume.promise;
  };
  const slow = shopper.post('/checkout', withCard, { headers });
  await reached.promise;
  await box.db.query(
    "update idempotency_keys set busy_until = now() - interval '1 s' where tenant_id = $1 and status is null",
  );
  await until(
    () =>
      box.db.query<{ busy: boolean }>(
        'select busy_until > now() as busy from idempotency_keys where tenant_id = $1 and status is null',
      ),
    ([row]) => row?.busy === true,
  );
  t.match(await shopper.post('/checkout', withCard, { headers }), {
    status: 409,
    body: { code: 'idempotency_key_busy' },
  });
  resume.resolve();
  t.match(await slow, { status: 201, body: { paymentStatus: 'paid' } });
});

t.test('no row is locked during calls to the provider', async (t) => {
  const provider = bindProvider(box, t);
  const shopper = await shopperWith(box, [mug, 1]);
  const watcher = new pg.Client({ connectionString: box.databaseUrl });
  await watcher.connect();
  t.teardown(() => watcher.end());
  const countOpen = async () => {
    const { rows } = await watcher.query(
      `select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name = 'box' and state like 'idle in transaction%'`,
    );
    return rows[0].count;
  };
  await box.db.transaction(async (tx) => {
    await tx.query('select number from orders where tenant_id = $1 limit 1');
    t.equal(await countOpen(), 1, 'an open transaction is detected');
  });
  const seen: string[] = [];
  provider.before = async (call) => {
    seen.push(`${call} ${await countOpen()}`);
  };
  await shopper.post('/checkout', withCard, { headers: { 'idempotency-key': newId() } });
  t.strictSame(seen, ['initiate 0', 'confirm 0', 'capture 0']);
});
