/**
 * Call-backs of a provider: believed when signed, and each works once.
 */
import { attachPayment, beginPayment, type ProviderState } from '@carton/payment';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, place, placeWithPayment, statusOf } from './helpers.ts';

const box = await openBox(t);
const told = (id: string, status: ProviderState['status'], captured = 0, refunded = 0) => ({
  id: newId(),
  payment: { id, state: { status, captured, refunded } },
});

async function eventsOf(id: string): Promise<unknown[]> {
  const events = await box.db.query<{ type: string; payload: { amount: number } }>(
    'select type, payload from event_outbox where tenant_id = $1 and resource_id = $2 order by id',
    [id],
  );
  return events.map(({ type, payload }) => `${type} ${payload.amount}`);
}

const read = async (id: string) => (await box.staff.get(`/admin/payments/${id}`)).body;

async function setMode(captureMode: string): Promise<void> {
  for (const { id } of (await box.staff.get('/admin/payment-methods')).body.items) {
    await box.staff.patch(`/admin/payment-methods/${id}`, { captureMode });
  }
}

t.test('what is not signed by the provider changes nothing', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const event = told(id, 'captured', 2500);
  const other = new TestProvider('other');
  contribute(t, box, provider, other);
  const path = '/payments/webhooks/test';
  const wrong = { status: 400, body: { code: 'webhook_signature_invalid' } };
  const visitor = box.visitor();
  const signed = (signature: string) => ({ headers: { 'x-test-signature': signature } });
  const cases: [string, Promise<object>, object][] = [
    ['no signature', visitor.post(path, event), wrong],
    ['another', provider.send(box, event, { 'x-test-signature': 'ab'.repeat(32) }), wrong],
    ['half of one', provider.send(box, event, { 'x-test-signature': 'ab' }), wrong],
    ['an endless one', visitor.post(path, event, signed('a'.repeat(8000))), wrong],
    ['no body', visitor.post(path), wrong],
    ['no JSON', visitor.post(path, '{', signed('00')), wrong],
    ['too much', visitor.post(path, 'x'.repeat(300_000)), { status: 413 }],
    ['an unknown provider', visitor.post('/payments/webhooks/nobody', event), { status: 404 }],
    ['the default adapter', visitor.post('/payments/webhooks/none', event), { status: 404 }],
    ['what cannot be a name', visitor.post('/payments/webhooks/..%2f', event), { status: 404 }],
    ['staff', box.staff.post(path, event), wrong],
  ];
  for (const [what, answer, expected] of cases) t.match(await answer, expected, what);
  t.match(await provider.send(box, event, { 'content-type': 'text/plain' }), { status: 204 });
  t.equal(await statusOf(box, orderId), 'paid', 'signed, it works, whatever type it says it is');
});

t.test('an event works once, also when it comes many times at once', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const event = told(id, 'captured', 2500);
  const answers = await Promise.all(Array.from({ length: 8 }, () => provider.send(box, event)));
  t.ok(answers.every(({ status }) => status === 204));
  const changed = { ...event, payment: { id, state: { status: 'captured', captured: 2500, refunded: 2500 } } };
  t.equal((await provider.send(box, changed)).status, 204, 'another body under the same id is the same event');
  t.strictSame(await eventsOf(id), ['payment.captured 2500']);
  t.equal(await statusOf(box, orderId), 'paid');
  const stored = await box.db.query(
    'select payment_id from payment_webhook_events where tenant_id = $1 and event_id = $2',
    [event.id],
  );
  t.strictSame(stored, [{ paymentId: id }]);
});

t.test('news that come late, twice or out of order end the same', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('manual');
  const news: [ProviderState['status'], number, number][] = [
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
    for (const index of order) await provider.send(box, told(id, ...(news[index] as (typeof news)[number])));
    t.match(await read(id), { status: 'captured', captured: { amount: 2500 }, refunded: { amount: 1000 } });
    t.equal(await statusOf(box, orderId), 'partially_refunded', order.join());
  }
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  await Promise.all(news.map((state) => provider.send(box, told(id, ...state))));
  t.match(await read(id), { status: 'captured', captured: { amount: 2500 }, refunded: { amount: 1000 } });
  t.equal(await statusOf(box, orderId), 'partially_refunded', 'all at once');
});

t.test('a payment that fails or is given up elsewhere is told', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('manual');
  const failed = await placeWithPayment(box, db, 2500);
  await provider.send(box, told(failed.id, 'failed'));
  t.match(await read(failed.id), {
    status: 'failed',
    transactions: exactly([{}, { type: 'authorize', status: 'failed' }]),
  });
  t.equal(await statusOf(box, failed.orderId), 'unpaid');
  await provider.send(box, told(failed.id, 'authorized'));
  t.equal(await statusOf(box, failed.orderId), 'authorized', 'the shopper has tried once more');
  t.strictSame(await eventsOf(failed.id), ['payment.failed 2500', 'payment.authorized 2500']);
  await provider.send(box, told(failed.id, 'voided'));
  t.equal(await statusOf(box, failed.orderId), 'voided');
  const partly = await placeWithPayment(box, db, 2500);
  await provider.send(box, told(partly.id, 'captured', 700));
  t.match(await read(partly.id), { status: 'captured', captured: { amount: 700 } }, 'the provider gives the rest up');
  t.equal(await statusOf(box, partly.orderId), 'partially_paid');
});

t.test('an authorization is captured at once where the method says so', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('automatic');
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const event = told(id, 'authorized');
  t.equal((await provider.send(box, event)).status, 204);
  t.match(await read(id), { status: 'captured', captureMode: 'automatic', captured: { amount: 2500 } });
  t.equal(await statusOf(box, orderId), 'paid');
  const refused = await placeWithPayment(box, db, 14);
  provider.before = () => {
    throw new TypeError('socket hang up');
  };
  t.equal((await provider.send(box, told(refused.id, 'authorized'))).status, 204, 'the event is kept all the same');
  t.match(await read(refused.id), { status: 'authorized', transactions: exactly([{}, {}, { status: 'pending' }]) });
  provider.before = () => {};
  await provider.send(box, told(refused.id, 'authorized'));
  t.match(await read(refused.id), { status: 'captured' }, 'what was left open is done with the next event');
});

t.test("the provider's event and the step that caused it book one time", async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  await setMode('manual');
  const { id } = await placeWithPayment(box, db, 2500);
  await provider.send(box, told(id, 'authorized'));
  provider.after = async (call) => {
    if (call === 'capture') await provider.send(box, told(id, 'captured', 2500));
    if (call === 'refund') await provider.send(box, told(id, 'captured', 2500, 400));
  };
  t.match(await box.staff.post(`/admin/payments/${id}/capture`), { status: 200, body: { status: 'captured' } });
  const part = { amount: { amount: 400, currency: 'EUR' } };
  t.match(await box.staff.post(`/admin/payments/${id}/refunds`, part), { status: 201, body: { status: 'succeeded' } });
  t.match(await read(id), { captured: { amount: 2500 }, refunded: { amount: 400 } });
  t.strictSame(await eventsOf(id), ['payment.authorized 2500', 'payment.captured 2500', 'refund.created 400']);
});

t.test('news that come before the order stands are not lost', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const amount = { amount: 2500, currency: 'EUR' };
  const cartId = newId();
  const begun = await beginPayment(db, { cartId, method: 'card', amount, email: null });
  await provider.send(box, told(begun.id, 'captured', 2500));
  await provider.send(box, told(begun.id, 'authorized'));
  const order = await place(box, 2500, { cartId });
  await db.transaction((tx) => attachPayment(tx, order.id, begun));
  t.equal(await statusOf(box, order.id), 'paid');
  for (let round = 0; round < 5; round++) {
    const cart = newId();
    const other = await beginPayment(db, { cartId: cart, method: 'card', amount, email: null });
    const placed = await place(box, 2500, { cartId: cart });
    await Promise.all([
      provider.send(box, told(other.id, 'captured', 2500)),
      db.transaction((tx) => attachPayment(tx, placed.id, other)),
    ]);
    t.equal(await statusOf(box, placed.id), 'paid', 'nor those that come with it');
  }
});

t.test('money that comes for a payment that was replaced is given back', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const cartId = newId();
  const payment = { cartId, amount: { amount: 2500, currency: 'EUR' }, email: null };
  const replaced = await beginPayment(db, { ...payment, method: 'card' });
  await beginPayment(db, { ...payment, method: 'wallet' });
  const order = await place(box, 2500, { cartId });
  await t.rejects(
    db.transaction((tx) => attachPayment(tx, order.id, replaced)),
    { type: { code: 'payment_session_closed' }, message: 'Check out again.' },
  );
  provider.calls.length = 0;
  await provider.send(box, told(replaced.id, 'captured', 2500));
  t.strictSame(provider.calls, ['refund 2500']);
  await provider.send(box, told(replaced.id, 'captured', 2500, 2500));
  t.strictSame(provider.calls, ['refund 2500'], 'once');
});

t.test("events of nobody's payments, and of another shop's, are stored and touch nothing", async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const other = await box.openTenant();
  t.equal((await provider.send(other, told(id, 'captured', 2500))).status, 204);
  for (const event of [told(newId(), 'captured', 2500), told('no id of ours', 'captured', 2500), { id: newId() }]) {
    t.equal((await provider.send(box, event)).status, 204);
  }
  const another = new TestProvider('another');
  contribute(t, box, provider, another);
  t.equal((await another.send(box, told(id, 'captured', 2500))).status, 204, "nor another provider's word");
  t.equal(await statusOf(box, orderId), 'unpaid');
});
