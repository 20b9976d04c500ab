/**
 * A pending order whose payment is refused or not completed in time is canceled: stock, uses of promotions, tenders and
 * the cart return, once.
 */
import { shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { paymentAdapters, tenders } from '@carton/payment';
import { ageByTwoDays, reconcile, TestProvider } from '@carton/payment/testing';
import { exactly, extendBox, untilDelivered } from '@carton/runtime/testing';
import { enableWebhooks, type Faults, mismatchesAfterReconciliation } from '@carton/stripe/testing';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';
import { openPendingBox, withCard } from './pending.ts';

const card = { balance: 0 };
const opened = await openPendingBox(t, [
  tenders.with({
    name: 'test_card',
    order: 1,
    problems: [],
    plan: () => (card.balance > 0 ? [{ reference: 'one', label: 'Test card', amount: card.balance }] : []),
    async commit(_, __, { amount }) {
      card.balance -= amount;
    },
    async reverse(_, __, ___, amount) {
      card.balance += amount;
    },
  }),
]);
const { tenant, box, browser, mug, orderOf, onHand, itemsOf, placePending, expire, statusIs, mailsOf, orderEventsOf } =
  opened;
const { simulator } = tenant;
const noFaults: Faults = () => null;

t.afterEach(() => {
  simulator.faults = noFaults;
  simulator.listen([]);
});

t.test('a refused payment cancels it, and stock and cart return', async (t) => {
  enableWebhooks(tenant);
  const before = await onHand(mug);
  const shopper = await shopperWith(box, [mug, 3]);
  await shopper.put('/cart/shipping-address', { name: 'Ada', line1: '1 Main Street', city: 'Paris', country: 'FR' });
  const { body: order } = await shopper.post('/checkout', withCard);
  t.equal(order.status, 'pending');
  await browser.pay(order.payment.nextAction.value, 'pm_card_chargeDeclined');
  await simulator.webhooks.flush();
  t.match(await statusIs(order.id, 'canceled'), { paymentStatus: 'voided', balance: { amount: 0 } });
  await untilDelivered(box);
  t.equal(await onHand(mug), before);
  const { body: cart } = await shopper.get('/cart');
  t.match(cart, { items: exactly([{ variantId: mug.variantId, quantity: 3 }]), shippingAddress: { city: 'Paris' } });
  t.strictSame(await orderEventsOf(order.id), ['order.held', 'order.canceled', 'order.updated']);
  t.strictSame(await mailsOf(order.id), [], 'the shopper has had no mail about it');
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  const again = await shopper.post('/checkout', buyer);
  t.match(again, { status: 201, body: { status: 'placed', payment: null } }, 'the shopper checks out again');
});

t.test('a late report of an earlier attempt cancels nothing', async (t) => {
  const shopper = await shopperWith(box, [mug, 1]);
  const { body: session } = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  enableWebhooks(tenant);
  Object.assign(simulator.rates, { delayEvent: 1, maxEventDelay: 100 });
  await browser.pay(session.nextAction.value, 'pm_card_chargeDeclined');
  await browser.pay(session.nextAction.value, 'pm_card_authenticationRequired');
  const { body: order } = await shopper.post('/checkout', withCard);
  t.equal(order.status, 'pending');
  await simulator.webhooks.flush();
  Object.assign(simulator.rates, { delayEvent: 0 });
  t.match(await orderOf(order.id), { status: 'pending' });
  await browser.pay(session.nextAction.value);
  await simulator.webhooks.flush();
  t.match(await statusIs(order.id, 'placed'), { status: 'placed' });
});

t.test('an unfinished payment cancels it at the end of its time, once', async (t) => {
  const before = await onHand(mug);
  const { shopper, order } = await placePending();
  await reconcile(box.db);
  t.match(await orderOf(order.id), { status: 'pending' }, 'not before');
  await expire(order.id);
  await Promise.all([reconcile(box.db), reconcile(box.db)]);
  await untilDelivered(box);
  t.match(await orderOf(order.id), { status: 'canceled' });
  t.equal(await onHand(mug), before);
  t.match(await itemsOf(shopper), exactly([{ variantId: mug.variantId, quantity: 1 }]));
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
});

t.test('a payment whose report was lost places it also at the end of its time', async (t) => {
  const { order, secret } = await placePending();
  await browser.pay(secret);
  await expire(order.id);
  await reconcile(box.db);
  t.match(await orderOf(order.id), { status: 'placed' });
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
});

t.test('while the provider does not answer, the end waits for a day', async (t) => {
  const { order } = await placePending();
  await expire(order.id);
  simulator.faults = (operation, when) => (operation === 'retrieve' && when === 'before' ? { lose: true } : null);
  await reconcile(box.db);
  t.match(await orderOf(order.id), { status: 'pending' });
  await box.db.query("update orders set pending_until = now() - interval '25 hours' where tenant_id = $1 and id = $2", [
    order.id,
  ]);
  await reconcile(box.db);
  t.match(await orderOf(order.id), { status: 'canceled' });
});

t.test('a new cart with lines stays as it is', async (t) => {
  const other = await createArticle(box, 'other', 300, 10);
  const { shopper, order } = await placePending();
  await shopper.post('/cart/items', { variantId: other.variantId, quantity: 1 });
  await box.staff.post(`/admin/orders/${order.id}/cancel`, { reason: 'Test' });
  await untilDelivered(box);
  t.match(await itemsOf(shopper), exactly([{ variantId: other.variantId, quantity: 1 }]));
});

t.test('codes and their uses return', async (t) => {
  const promotion = { label: 'Once', discount: { kind: 'percent', percent: 10 }, maxUses: 1 };
  const { body: created } = await box.staff.post('/admin/promotions', promotion);
  await box.staff.post(`/admin/promotions/${created.id}/codes`, { codes: ['ONCE'] });
  const shopper = await shopperWith(box, [mug, 1]);
  t.equal((await shopper.post('/cart/promotions', { code: 'ONCE' })).status, 201);
  const { body: order } = await shopper.post('/checkout', withCard);
  t.match(order, { status: 'pending', totals: { total: { amount: 1125 } } });
  const late = await shopperWith(box, [mug, 1]);
  t.equal((await late.post('/cart/promotions', { code: 'ONCE' })).status, 409, 'it is used up meanwhile');
  await expire(order.id);
  await reconcile(box.db);
  await untilDelivered(box);
  t.match((await shopper.get('/cart')).body.totals, { total: { amount: 1125 } });
  t.match(await shopper.post('/checkout', buyer), { status: 201, body: { totals: { total: { amount: 1125 } } } });
});

t.test('tenders pay their part of a pending order, and get it back', async (t) => {
  card.balance = 500;
  const { order } = await placePending();
  t.match(order, { status: 'pending', paymentStatus: 'partially_paid', balance: { amount: 750 } });
  t.equal(card.balance, 0);
  await expire(order.id);
  await reconcile(box.db);
  await untilDelivered(box);
  t.match(await orderOf(order.id), { status: 'canceled', paymentStatus: 'refunded' });
  t.equal(card.balance, 500);
  t.strictSame(await mailsOf(order.id), []);
  const placed = await placePending();
  await browser.pay(placed.secret);
  await ageByTwoDays(box.db);
  await reconcile(box.db);
  t.match(await orderOf(placed.order.id), { status: 'placed' });
});

t.test('staff cancel it by voiding its payment, a member by canceling it', async (t) => {
  const { shopper, order } = await placePending();
  const [payment] = (await box.staff.get(`/admin/payments?orderId=${order.id}`)).body.items;
  t.equal((await box.staff.post(`/admin/payments/${payment.id}/void`)).status, 200);
  await untilDelivered(box);
  t.match(await orderOf(order.id), { status: 'canceled' });
  t.equal((await itemsOf(shopper)).length, 1);

  const member = await createMember(box);
  await member.post('/cart/items', { variantId: mug.variantId, quantity: 1 });
  const { body: own } = await member.post('/checkout', withCard);
  t.match(own, { status: 'pending', payment: { nextAction: { type: 'client_secret' } } });
  t.match((await member.get('/member/orders')).body, { items: exactly([{ id: own.id, status: 'pending' }]) });
  const erasure = await box.staff.post(`/admin/members/${member.id}/erase`);
  t.match(erasure, { status: 409 });
  t.match(JSON.stringify(erasure.body), /waits for its payment/, 'an order in progress is not erased');
  t.match(await member.post(`/member/orders/${own.id}/cancel`), { status: 200, body: { status: 'canceled' } });
  await untilDelivered(box);
  t.equal((await itemsOf(member)).length, 1);
});

t.test('the authorization of a payment that another has replaced places nothing', async (t) => {
  const provider = new TestProvider('test', ['invoice', 'wallet']);
  provider.confirmed = 'pending';
  extendBox(t, box, [paymentAdapters.with(provider)]);
  const shopper = await shopperWith(box, [mug, 1]);
  const { body: order } = await shopper.post('/checkout', { ...withCard, paymentMethod: 'invoice' });
  const paymentsOf = async () => (await box.staff.get(`/admin/payments?orderId=${order.id}`)).body.items;
  const [{ id }] = await paymentsOf();
  provider.before = (call) => {
    if (call === 'void') throw new Error('unavailable');
  };
  const other = await shopper.post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'wallet' });
  t.equal(other.status, 201);
  const state = { status: 'authorized', captured: 0, refunded: 0 } as const;
  Object.assign(provider.payments.get(id) as object, state);
  t.equal((await provider.send(box, { id: 'late', payment: { id, state } })).status, 204);
  t.match(await orderOf(order.id), { status: 'pending' });
  provider.before = () => {};
  const paid = { id: 'paid', payment: { id: other.body.id, state } };
  Object.assign(provider.payments.get(other.body.id) as object, state);
  t.equal((await provider.send(box, paid)).status, 204);
  t.match(await orderOf(order.id), { status: 'placed', paymentStatus: 'paid' });
});
