/**
 * Capture, void and refund: each takes effect once, wherever it is interrupted.
 */

import { newId } from '@carton/runtime';
import { eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { closeCanceled } from '../steps/cancellation.ts';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, placeWithPayment, statusOf, timelineOf } from './helpers.ts';

const box = await openBox(t);
const eur = (amount: number) => ({ amount: { amount, currency: 'EUR' } });

/** Binds a provider until the test ends. `authorized` places an order with an authorized payment. */
function setUp(t: { teardown(task: () => void): void }) {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  /** With manual capture, so that the tests capture. */
  const authorized = async (total: number) => {
    const { items } = (await box.staff.get('/admin/payment-methods')).body;
    await box.staff.patch(`/admin/payment-methods/${items[0].id}`, { captureMode: 'manual' });
    const placed = await placeWithPayment(box, db, total);
    const state = { status: 'authorized' as const, captured: 0, refunded: 0 };
    await provider.send(box, { id: newId(), payment: { id: placed.id, state } });
    Object.assign(provider.payments.get(placed.id) ?? {}, state);
    return placed;
  };
  const step = (id: string, what: string, body?: unknown, key?: string) =>
    box.staff.post(`/admin/payments/${id}/${what}`, body, key ? { headers: { 'idempotency-key': key } } : {});
  return { provider, db, authorized, step };
}

/** Makes every claim expire. */
async function expireClaims(): Promise<void> {
  await box.db.query("update idempotency_keys set busy_until = now() - interval '1 s' where tenant_id = $1");
  await box.db.query(
    "update payment_transactions set tried_at = now() - interval '2 minutes' where tenant_id = $1 and tried_at is not null",
  );
}

t.test('payments are captured and refunded in parts', async (t) => {
  const { provider, authorized, step } = setUp(t);
  const { orderId, id } = await authorized(2500);
  t.equal(await statusOf(box, orderId), 'authorized');
  t.match(await step(id, 'refunds'), { status: 409, body: { code: 'payment_step_not_possible' } }, 'nothing to refund');
  t.match(await step(id, 'capture', eur(1000)), {
    status: 200,
    body: { status: 'authorized', captured: { amount: 1000 }, refunded: { amount: 0 } },
  });
  t.equal(await statusOf(box, orderId), 'partially_paid');
  t.match(await step(id, 'capture', eur(1501)), {
    status: 409,
    body: { code: 'payment_step_not_possible', detail: 'At most 15.00 EUR is left to capture.' },
  });
  t.match(await step(id, 'capture'), { status: 200, body: { status: 'captured', captured: { amount: 2500 } } });
  t.equal(await statusOf(box, orderId), 'paid');
  t.match(await step(id, 'capture'), { status: 409 }, 'all of it is captured');
  t.match(await step(id, 'void'), { status: 409 });
  const refund = await step(id, 'refunds', { ...eur(500), reason: 'Arrived broken' });
  t.match(refund, {
    status: 201,
    body: { paymentId: id, orderId, provider: 'test', method: 'card', status: 'succeeded', reason: 'Arrived broken' },
  });
  t.equal(await statusOf(box, orderId), 'partially_refunded');
  t.match(await step(id, 'refunds'), { status: 201, body: { amount: { amount: 2000 }, reason: null } });
  t.equal(await statusOf(box, orderId), 'refunded');
  t.match(await step(id, 'refunds'), { status: 409 });
  t.match(provider.stateOf(id), { status: 'captured', captured: 2500, refunded: 2500 });
  t.strictSame((await timelineOf(box, orderId)).slice(0, 6), [
    'All was refunded, but not by units: what was not shipped is still to be shipped unless its units are refunded too, or the order is canceled',
    'Refunded 20.00 EUR by card',
    'Refunded 5.00 EUR by card',
    'Received 15.00 EUR by card',
    'Received 10.00 EUR by card',
    'Authorized 25.00 EUR by card',
  ]);
  t.strictSame(await eventTypesOf(box, id), [
    'payment.authorized',
    'payment.captured',
    'payment.captured',
    'refund.created',
    'refund.created',
  ]);
  const me = (await box.staff.get('/admin/me')).body;
  t.match((await box.staff.get(`/admin/payments/${id}`)).body.transactions.at(-1), {
    type: 'refund',
    status: 'succeeded',
    actor: { type: 'staff', id: me.id },
  });
});

t.test('an authorization, or what is left of it, is voided', async (t) => {
  const { provider, authorized, step } = setUp(t);
  const one = await authorized(2500);
  t.match(await step(one.id, 'void'), { status: 200, body: { status: 'voided' } });
  t.equal(await statusOf(box, one.orderId), 'voided');
  t.match(await step(one.id, 'void'), { status: 409 });
  t.match(await step(one.id, 'capture'), { status: 409 });
  const other = await authorized(2500);
  await step(other.id, 'capture', eur(700));
  t.match(await step(other.id, 'void'), { status: 200, body: { status: 'captured', captured: { amount: 700 } } });
  t.equal(await statusOf(box, other.orderId), 'partially_paid');
  t.strictSame(provider.calls.slice(-2), ['capture 700', 'void 1800']);
});

t.test('concurrent steps never exceed the amount', async (t) => {
  const { provider, authorized, step } = setUp(t);
  const { id } = await authorized(2500);
  const captures = await Promise.all(Array.from({ length: 5 }, () => step(id, 'capture', eur(2000))));
  t.equal(captures.filter(({ status }) => status === 200).length, 1);
  t.ok(captures.every(({ status }) => status === 200 || status === 409));
  await step(id, 'capture');
  const refunds = await Promise.all(Array.from({ length: 5 }, () => step(id, 'refunds', eur(1500))));
  t.equal(refunds.filter(({ status }) => status === 201).length, 1);
  const refused = refunds.filter(({ status }) => status === 409);
  t.equal(refused.length, 4);
  t.ok(
    refused.every(
      ({ body, headers }) => body.code === 'payment_step_not_possible' || headers.get('retry-after') === '2',
    ),
  );
  t.match(provider.stateOf(id), { captured: 2500, refunded: 1500 });
});

t.test('one Idempotency-Key is one step; a concurrent retry is refused', async (t) => {
  const { provider, authorized, step } = setUp(t);
  const { id } = await authorized(2500);
  const key = newId();
  const [atProvider, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  provider.before = () => {
    atProvider.resolve();
    return waiting.promise;
  };
  const first = step(id, 'capture', eur(1000), key);
  await atProvider.promise;
  const second = await step(id, 'capture', eur(1000), key);
  t.match(second, { status: 409, body: { code: 'idempotency_key_busy' } });
  t.equal(second.headers.get('retry-after'), '2');
  t.match(await step(id, 'capture', eur(1), key), { status: 409, body: { code: 'idempotency_key_reused' } });
  t.match(await step(id, 'void'), { status: 409, body: { code: 'payment_step_busy' } });
  t.match(await box.staff.get(`/admin/payments/${id}`), { status: 200 }, 'no row is locked');
  waiting.resolve();
  const response = await first;
  t.equal(response.status, 200);
  const replay = await step(id, 'capture', eur(1000), key);
  t.equal(replay.headers.get('idempotent-replayed'), 'true');
  t.strictSame(replay.body, response.body);
  t.equal(provider.calls.filter((call) => call.startsWith('capture')).length, 1);
});

t.test('a failed call is resumed by a retry of the request or the next step', async (t) => {
  for (const [what, key] of [
    ['the same request', newId()],
    ['one without a key', undefined],
  ] as const) {
    const { provider, authorized, step } = setUp(t);
    const { orderId, id } = await authorized(2500);
    provider.after = () => {
      throw new TypeError('socket hang up');
    };
    t.match(await step(id, 'capture', eur(1000), key), { status: 502, body: { code: 'payment_provider_failed' } });
    t.match((await box.staff.get(`/admin/payments/${id}`)).body, {
      captured: { amount: 0 },
      transactions: exactly([{}, {}, { type: 'capture', status: 'pending' }]),
    });
    t.equal(await statusOf(box, orderId), 'authorized');
    provider.after = () => {};
    const again = await step(id, key ? 'capture' : 'void', key && eur(1000), key);
    t.match(again, { status: 200, body: { captured: { amount: 1000 } } }, what);
    t.equal(provider.stateOf(id).captured, 1000, 'captured once');
    t.equal(await statusOf(box, orderId), 'partially_paid');
  }
});

t.test('after a crash at any point the next attempt resumes the step', async (t) => {
  const { provider, authorized, step } = setUp(t);
  for (const moment of ['before', 'after'] as const) {
    const { orderId, id } = await authorized(2500);
    const key = newId();
    const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    provider[moment] = () => {
      reached.resolve();
      return resumed.promise;
    };
    const suspended = step(id, 'capture', eur(1000), key);
    await reached.promise;
    provider[moment] = () => {};
    t.match(await step(id, 'capture', eur(1000), key), { status: 409, body: { code: 'idempotency_key_busy' } });
    await expireClaims();
    const responses = await Promise.all([1, 2, 3].map(() => step(id, 'capture', eur(1000), key)));
    t.ok(
      responses.every(({ status, body }) => status === 200 || body.code === 'idempotency_key_busy'),
      JSON.stringify(responses.map(({ body }) => body.code)),
    );
    t.match(await step(id, 'capture', eur(1000), key), { status: 200, body: { captured: { amount: 1000 } } }, moment);
    resumed.resolve();
    t.match(
      await suspended,
      { status: 200, body: { captured: { amount: 1000 } } },
      'a process that was only suspended does no harm',
    );
    t.equal(provider.stateOf(id).captured, 1000, 'once at the provider');
    t.strictSame(await eventTypesOf(box, id), ['payment.authorized', 'payment.captured'], 'and once in the box');
    t.equal(await statusOf(box, orderId), 'partially_paid');
  }
});

t.test('after a crash before the response, a retry returns the same response', async (t) => {
  const { authorized, step } = setUp(t);
  const { id } = await authorized(2500);
  await step(id, 'capture');
  const key = newId();
  const refund = await step(id, 'refunds', eur(500), key);
  t.equal(refund.status, 201);
  await box.db.query(
    "update idempotency_keys set status = null, busy_until = now() - interval '1 s' where tenant_id = $1 and key = $2",
    [key],
  );
  const again = await step(id, 'refunds', eur(500), key);
  t.equal(again.status, 201);
  t.strictSame(again.body, refund.body);
  t.match((await box.staff.get(`/admin/payments/${id}`)).body, { refunded: { amount: 500 } });
});

t.test('a refused step is stored as failed, and its key can be used again', async (t) => {
  const { authorized, step } = setUp(t);
  const { id } = await authorized(2500);
  const key = newId();
  t.match(await step(id, 'capture', eur(13), key), {
    status: 409,
    body: { code: 'payment_refused', detail: 'The provider refuses this amount.' },
  });
  t.match(await step(id, 'capture', eur(14), key), { status: 200, body: { captured: { amount: 14 } } });
  t.match(
    (await box.staff.get(`/admin/payments/${id}`)).body.transactions.slice(-2),
    exactly([
      { type: 'capture', status: 'failed', note: 'The provider refuses this amount.', amount: { amount: 13 } },
      { type: 'capture', status: 'succeeded', amount: { amount: 14 } },
    ]),
  );
});

t.test('refunds are listed newest first, filtered by order, payment and status', async (t) => {
  const { authorized, step } = setUp(t);
  const [one, two] = [await authorized(2500), await authorized(2500)];
  const ids: string[] = [];
  for (const { id } of [one, two]) await step(id, 'capture');
  for (const { id } of [one, two, one]) ids.unshift((await step(id, 'refunds', eur(100))).body.id);
  await step(two.id, 'refunds', eur(13));
  // A step that is not a refund, newer than the refunds.
  await authorized(2500);
  const [third, second, first] = ids;
  const cases: [string, unknown[]][] = [
    [`?orderId=${one.orderId}`, [third, first]],
    [`?paymentId=${two.id}&status=succeeded`, [second]],
    [`?orderId=${newId()}`, []],
    ['?status=pending', []],
    ['?status=succeeded&limit=2', [third, second]],
  ];
  for (const [query, expected] of cases) {
    const { body } = await box.staff.get(`/admin/refunds${query}`);
    t.strictSame(
      body.items.map(({ id }: { id: string }) => id),
      expected,
      query,
    );
  }
  const page = await box.staff.get('/admin/refunds?status=succeeded&limit=2');
  const next = await box.staff.get(`/admin/refunds?status=succeeded&limit=2&cursor=${page.body.nextCursor}`);
  t.equal(next.body.items[0].id, first);
  t.match((await box.staff.get(`/admin/refunds?paymentId=${two.id}`)).body.items, exactly([{ status: 'failed' }, {}]));
  t.match(await box.staff.get('/admin/refunds?status=done'), { status: 400 });
  t.match(await box.staff.post(`/admin/payments/${one.id}/refunds`, { amount: { amount: 1, currency: 'USD' } }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/amount/currency' }]) },
  });
});

t.test('canceling voids what is authorized', async (t) => {
  const { db, authorized, step } = setUp(t);
  const { orderId, id } = await authorized(2500);
  await box.staff.post(`/admin/orders/${orderId}/cancel`);
  t.equal((await timelineOf(box, orderId))[0], '25.00 EUR is authorized and will be voided');
  await closeCanceled(db, orderId);
  t.equal(await statusOf(box, orderId), 'voided');
  t.match(await step(id, 'void'), { status: 409 });
});
