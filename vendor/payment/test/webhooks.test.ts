/**
 * Webhooks of a provider: verified, and applied once.
 */
import { attachPayment, type ProviderState, startPayment } from '@carton/payment';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { amountsOf, contribute, openBox, place, placeWithPayment, statusOf } from './helpers.ts';

const box = await openBox(t);
const eventOf = (id: string, status: ProviderState['status'], captured = 0, refunded = 0) => ({
  id: newId(),
  payment: { id, state: { status, captured, refunded } },
});

const read = async (id: string) => (await box.staff.get(`/admin/payments/${id}`)).body;

async function setMode(captureMode: string): Promise<void> {
  for (const { id } of (await box.staff.get('/admin/payment-methods')).body.items) {
    await box.staff.patch(`/admin/payment-methods/${id}`, { captureMode });
  }
}

t.test('an unsigned webhook changes nothing', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const event = eventOf(id, 'captured', 2500);
  const other = new TestProvider('other');
  contribute(t, box, provider, other);
  const path = '/payments/webhooks/test';
  const wrong = { status: 400, body: { code: 'webhook_signature_invalid' } };
  const visitor = box.visitor();
  const signed = (signature: string) => ({ headers: { 'x-test-signature': signature } });
  const cases: [string, Promise<object>, object][] = [
    ['no signature', visitor.post(path, event), wrong],
    ['another', provider.send(box, event, { 'x-test-signature': 'ab'.repeat(32) }), wrong],
    ['a truncated signature', provider.send(box, event, { 'x-test-signature': 'ab' }), wrong],
    ['an overlong signature', visitor.post(path, event, signed('a'.repeat(8000))), wrong],
    ['no body', visitor.post(path), wrong],
    ['no JSON', visitor.post(path, '{', signed('00')), wrong],
    ['too much', visitor.post(path, 'x'.repeat(300_000)), { status: 413 }],
    ['an unknown provider', visitor.post('/payments/webhooks/nobody', event), { status: 404 }],
    ['the default adapter', visitor.post('/payments/webhooks/none', event), { status: 404 }],
    ['an invalid name', visitor.post('/payments/webhooks/..%2f', event), { status: 404 }],
    ['staff', box.staff.post(path, event), wrong],
  ];
  for (const [what, response, expected] of cases) t.match(await response, expected, what);
  t.match(await provider.send(box, event, { 'content-type': 'text/plain' }), { status: 204 });
  t.equal(await statusOf(box, orderId), 'paid', 'a signed event is applied, whatever its content type');
});

t.test('an event is applied once, even if delivered concurrently', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const event = eventOf(id, 'captured', 2500);
  const responses = await Promise.all(Array.from({ length: 8 }, () => provider.send(box, event)));
  t.ok(responses.every(({ status }) => status === 204));
  const changed = { ...event, payment: { id, state: { status: 'captured', captured: 2500, refunded: 2500 } } };
  t.equal((await provider.send(box, changed)).status, 204, 'another body with the same id is a duplicate');
  t.strictSame(await amountsOf(box, id), ['payment.captured 2500']);
  t.equal(await statusOf(box, orderId), 'paid');
  const stored = await box.db.query(
    'select payment_id from payment_webhook_events where tenant_id = $1 and event_id = $2',
    [event.id],
  );
  t.strictSame(stored, [{ paymentId: id }]);
});

t.test('late, repeated and reordered events lead to the same state', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('manual');
  const states: [ProviderState['status'], number, number][] = [
    ['authorized', 0, 0],
    ['captured', 2500, 0],
    ['captured', 2500, 1000],
  ];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
    [2, 2, 0, 1],
  ]) {
    const { orderId, id } = await placeWithPayment(box, db, 2500);
    for (const index of order) await provider.send(box, eventOf(id, ...(states[index] as (typeof states)[number])));
    t.match(await read(id), { status: 'captured', captured: { amount: 2500 }, refunded: { amount: 1000 } });
    t.equal(await statusOf(box, orderId), 'partially_refunded', order.join());
  }
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  await Promise.all(states.map((state) => provider.send(box, eventOf(id, ...state))));
  t.match(await read(id), { status: 'captured', captured: { amount: 2500 }, refunded: { amount: 1000 } });
  t.equal(await statusOf(box, orderId), 'partially_refunded', 'concurrently');
});

t.test('failures and voids at the provider are applied', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('manual');
  const failed = await placeWithPayment(box, db, 2500);
  await provider.send(box, eventOf(failed.id, 'failed'));
  t.match(await read(failed.id), {
    status: 'failed',
    transactions: exactly([{}, { type: 'authorize', status: 'failed' }]),
  });
  t.equal(await statusOf(box, failed.orderId), 'unpaid');
  await provider.send(box, eventOf(failed.id, 'authorized'));
  t.equal(await statusOf(box, failed.orderId), 'authorized', 'the shopper has tried again');
  t.strictSame(await amountsOf(box, failed.id), ['payment.failed 2500', 'payment.authorized 2500']);
  await provider.send(box, eventOf(failed.id, 'voided'));
  t.equal(await statusOf(box, failed.orderId), 'voided');
  const partly = await placeWithPayment(box, db, 2500);
  await provider.send(box, eventOf(partly.id, 'captured', 700));
  t.match(await read(partly.id), { status: 'captured', captured: { amount: 700 } }, 'the provider releases the rest');
  t.equal(await statusOf(box, partly.orderId), 'partially_paid');
});

t.test('an authorization is captured immediately in automatic mode', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('automatic');
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const event = eventOf(id, 'authorized');
  t.equal((await provider.send(box, event)).status, 204);
  t.match(await read(id), { status: 'captured', captureMode: 'automatic', captured: { amount: 2500 } });
  t.equal(await statusOf(box, orderId), 'paid');
  const refused = await placeWithPayment(box, db, 14);
  provider.before = () => {
    throw new TypeError('socket hang up');
  };
  t.equal(
    (await provider.send(box, eventOf(refused.id, 'authorized'))).status,
    204,
    'the event is stored nevertheless',
  );
  t.match(await read(refused.id), { status: 'authorized', transactions: exactly([{}, {}, { status: 'pending' }]) });
  provider.before = () => {};
  await provider.send(box, eventOf(refused.id, 'authorized'));
  t.match(await read(refused.id), { status: 'captured' }, 'the pending capture is resumed by the next event');
});

t.test("a step and the provider's event about it are booked once", async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('manual');
  const { id } = await placeWithPayment(box, db, 2500);
  await provider.send(box, eventOf(id, 'authorized'));
  provider.after = async (call) => {
    if (call === 'capture') await provider.send(box, eventOf(id, 'captured', 2500));
    if (call === 'refund') await provider.send(box, eventOf(id, 'captured', 2500, 400));
  };
  t.match(await box.staff.post(`/admin/payments/${id}/capture`), { status: 200, body: { status: 'captured' } });
  const part = { amount: { amount: 400, currency: 'EUR' } };
  t.match(await box.staff.post(`/admin/payments/${id}/refunds`, part), { status: 201, body: { status: 'succeeded' } });
  t.match(await read(id), { captured: { amount: 2500 }, refunded: { amount: 400 } });
  t.strictSame(await amountsOf(box, id), ['payment.authorized 2500', 'payment.captured 2500', 'refund.created 400']);
});

t.test('events that arrive before the order is placed are not lost', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const amount = { amount: 2500, currency: 'EUR' };
  const cartId = newId();
  const started = await startPayment(db, { cartId, method: 'card', amount, email: null });
  await provider.send(box, eventOf(started.id, 'captured', 2500));
  await provider.send(box, eventOf(started.id, 'authorized'));
  const order = await place(box, 2500, { cartId });
  await db.transaction((tx) => attachPayment(tx, order.id, started));
  t.equal(await statusOf(box, order.id), 'paid');
  for (let round = 0; round < 5; round++) {
    const cart = newId();
    const other = await startPayment(db, { cartId: cart, method: 'card', amount, email: null });
    const placed = await place(box, 2500, { cartId: cart });
    await Promise.all([
      provider.send(box, eventOf(other.id, 'captured', 2500)),
      db.transaction((tx) => attachPayment(tx, placed.id, other)),
    ]);
    t.equal(await statusOf(box, placed.id), 'paid', 'nor are concurrent ones');
  }
});

t.test('money received for a replaced payment is refunded', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const cartId = newId();
  const payment = { cartId, amount: { amount: 2500, currency: 'EUR' }, email: null };
  const replaced = await startPayment(db, { ...payment, method: 'card' });
  await startPayment(db, { ...payment, method: 'wallet' });
  const order = await place(box, 2500, { cartId });
  await t.rejects(
    db.transaction((tx) => attachPayment(tx, order.id, replaced)),
    { type: { code: 'payment_session_closed' }, message: 'Check out again.' },
  );
  provider.calls.length = 0;
  await provider.send(box, eventOf(replaced.id, 'captured', 2500));
  t.strictSame(provider.calls, ['refund 2500']);
  await provider.send(box, eventOf(replaced.id, 'captured', 2500, 2500));
  t.strictSame(provider.calls, ['refund 2500'], 'once');
});

t.test("events of unknown payments and other tenants' payments are stored without effect", async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const other = await box.openTenant();
  t.equal((await provider.send(other, eventOf(id, 'captured', 2500))).status, 204);
  for (const event of [
    eventOf(newId(), 'captured', 2500),
    eventOf('no id of ours', 'captured', 2500),
    { id: newId() },
  ]) {
    t.equal((await provider.send(box, event)).status, 204);
  }
  const another = new TestProvider('another');
  contribute(t, box, provider, another);
  t.equal(
    (await another.send(box, eventOf(id, 'captured', 2500))).status,
    204,
    "another provider's event has no effect",
  );
  t.equal(await statusOf(box, orderId), 'unpaid');
});
