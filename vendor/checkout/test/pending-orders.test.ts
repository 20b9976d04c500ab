/**
 * An order that waits for its payment is pending: it has its stock and nothing else until the payment is authorized,
 * however that becomes known.
 */
import { shopperWith } from '@carton/cart/testing';
import { ageByTwoDays, reconcile } from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import { untilDelivered } from '@carton/runtime/testing';
import { enableWebhooks, mismatchesAfterReconciliation } from '@carton/stripe/testing';
import t from 'tap';
import { buyer } from './helpers.ts';
import { openPendingBox, withCard } from './pending.ts';

const { tenant, box, browser, mug, orderOf, onHand, itemsOf, placePending, mailsOf, orderEventsOf } =
  await openPendingBox(t);
const { simulator } = tenant;

t.test('an order whose payment is not authorized is pending, with the next action', async (t) => {
  const before = await onHand(mug);
  const { shopper, order } = await placePending(2);
  t.match(order, {
    status: 'pending',
    paymentStatus: 'unpaid',
    payment: { status: 'pending', nextAction: { type: 'client_secret', publicKey: 'pk_test_simulator' } },
  });
  const minutes = (Date.parse(order.payBy) - Date.now()) / 60_000;
  t.ok(minutes > 55 && minutes <= 60, `${minutes}`);
  t.equal(await onHand(mug), before - 2, 'its stock is taken');
  t.strictSame(await itemsOf(shopper), [], 'the cart is empty');
  await untilDelivered(box);
  t.strictSame(await orderEventsOf(order.id), ['order.held']);
  t.strictSame(await mailsOf(order.id), []);
  const path = `/checkout/${order.id}`;
  t.match((await shopper.get(path)).body, { status: 'pending', payment: order.payment });
  t.match((await box.visitor().get(path)).body, {
    status: 'pending',
    payment: { status: 'pending', nextAction: null },
  });
  t.match(
    await box.visitor().post(`${path}/payment-sessions`, { paymentMethod: 'card' }),
    { status: 409, body: { code: 'payment_method_unavailable', nextAction: undefined } },
    'nor does a payment tell it to others',
  );
  const page = (await shopper.get(`${path}/confirmation`)).body;
  t.match(page, /waits for your payment/);
  t.notMatch(page, /Thank you/);
  const waits = { status: 409, body: { code: 'order_pending' } };
  t.match(await box.staff.post(`/admin/orders/${order.id}/fulfillments`), waits);
  t.match(await box.staff.post(`/admin/orders/${order.id}/invoices`), {
    status: 409,
    body: { code: 'invoice_not_possible', detail: 'The order waits for its payment.' },
  });
});

t.test('the authorization places it once, also with the tab closed', async (t) => {
  for (const way of ['webhook', 'reconciliation', 'request', 'read', 'page'] as const) {
    if (way === 'webhook') enableWebhooks(tenant);
    const { shopper, order, secret } = await placePending();
    await browser.pay(secret);
    if (way === 'webhook') await simulator.webhooks.flush();
    if (way === 'reconciliation') {
      await ageByTwoDays(box.db);
      await reconcile(box.db);
    }
    if (way === 'request') {
      t.match(await shopper.post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'card' }), { status: 201 });
      await ageByTwoDays(box.db);
      await reconcile(box.db);
    }
    // The shopper who waits reads how the provider has it; nobody else makes the box ask.
    const path = `/checkout/${order.id}`;
    if (way === 'read') {
      t.match((await box.visitor().get(path)).body, { status: 'pending' });
      t.match((await shopper.get(path)).body, { status: 'placed', payment: { status: 'captured' } });
    }
    if (way === 'page') {
      t.match((await box.visitor().get(`${path}/confirmation`)).body, 'waits for your payment');
      t.match((await shopper.get(`${path}/confirmation`)).body, 'Thank you for your order');
    }
    t.strictSame(await mismatchesAfterReconciliation(tenant), [], way);
    await untilDelivered(box);
    t.match(await orderOf(order.id), { status: 'placed', paymentStatus: 'paid' }, way);
    t.strictSame(await orderEventsOf(order.id), ['order.held', 'order.placed', 'order.updated', 'order.updated']);
    t.match((await shopper.get(path)).body.payment, { status: 'captured', nextAction: null });
    t.strictSame(await mailsOf(order.id), ['order.placed', 'payment.captured']);
    simulator.listen([]);
  }
});

t.test('a shopper who reads often has the provider asked once in some seconds', async (t) => {
  const { shopper, order, secret } = await placePending();
  const path = `/checkout/${order.id}`;
  t.match((await shopper.get(path)).body, { status: 'pending' });
  await browser.pay(secret);
  t.match((await shopper.get(path)).body, { status: 'pending' }, 'asked just now');
  await box.db.query(
    "update payment_sessions set looked_up_at = looked_up_at - interval '5 seconds' where tenant_id = $1 and order_id = $2",
    [order.id],
  );
  t.match((await shopper.get(path)).body, { status: 'placed' });
});

t.test('lists tell pending orders from placed ones', async (t) => {
  const { order } = await placePending(1, buyer.customer.email);
  const { body: placed } = await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  const idsOf = async (query: string) =>
    (await box.staff.get(`/admin/orders?${query}&limit=100`)).body.items.map(({ id }: { id: string }) => id);
  for (const more of [
    '',
    '&paymentStatus=unpaid',
    '&email=ada@example.com',
    '&q=ada',
    '&currency=EUR',
    '&totalMin=1',
  ]) {
    const [pending, others] = [await idsOf(`status=pending${more}`), await idsOf(`status=placed${more}`)];
    t.strictSame([pending.includes(order.id), pending.includes(placed.id)], [true, false], `pending${more}`);
    t.strictSame([others.includes(order.id), others.includes(placed.id)], [false, true], `placed${more}`);
    if (more) t.ok((await idsOf(more)).includes(order.id), 'without a status it is listed');
  }
  t.strictSame(await idsOf(`status=pending&number=${order.number}`), [order.id]);
  t.strictSame(await idsOf(`status=placed&number=${order.number}`), []);
});

t.test('staff who record a payment place it', async (t) => {
  const { order } = await placePending();
  const paid = { amount: { amount: 250, currency: 'EUR' }, method: 'cash' };
  t.equal((await box.staff.post(`/admin/orders/${order.id}/payments`, paid)).status, 201);
  t.match(await orderOf(order.id), { status: 'placed', paymentStatus: 'partially_paid' });
});

t.test('a method by hand places the order at once, also by its link', async (t) => {
  const transfer = { ...buyer, paymentMethod: 'bank_transfer' };
  t.match(await (await shopperWith(box, [mug, 1])).post('/checkout', transfer), {
    status: 201,
    body: { status: 'placed', payment: { status: 'pending', nextAction: null } },
  });
  const { shopper, order, secret } = await placePending();
  const chosen = await shopper.post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'bank_transfer' });
  t.equal(chosen.status, 201);
  t.match(await orderOf(order.id), { status: 'placed', paymentStatus: 'unpaid' });
  t.strictSame(await mailsOf(order.id), ['order.placed']);
  t.not(await browser.pay(secret), 'requires_capture', 'the other payment is voided');
});

t.test('a retry with the same key returns the pending order with its next action', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  const headers = { 'idempotency-key': newId() };
  const first = await shopper.post('/checkout', withCard, { headers });
  const again = await shopper.post('/checkout', withCard, { headers });
  t.strictSame(again.body, first.body);
  t.ok(first.body.payment.nextAction.value);
  t.equal((await box.visitor().post('/checkout', withCard, { headers })).status, 409, 'for its session only');
});

t.test('what a former release has recorded places it', async (t) => {
  const { order } = await placePending();
  const table = (name: string, column: string) =>
    box.db.query(`update ${name} set ${column} = 'authorized' where tenant_id = $1 and order_id = $2`, [order.id]);
  await table('payments', 'status');
  await box.db.query("update orders set payment_status = 'authorized' where tenant_id = $1 and id = $2", [order.id]);
  await reconcile(box.db);
  t.match(await orderOf(order.id), { status: 'placed' });
  t.strictSame((await orderEventsOf(order.id)).slice(0, 2), ['order.held', 'order.placed']);
});
