/**
 * Recovery from interruptions between a cart and its payment: the box reconciles by itself, so that no order is paid twice
 * and no payment is left without an order. Uses a real provider's library against a server with injected faults.
 */
import { shopperWith } from '@carton/cart/testing';
import { ageByTwoDays, reconcile } from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import { until } from '@carton/runtime/testing';
import {
  enableWebhooks,
  type Faults,
  mismatchesAfterReconciliation,
  type Operation,
  openStripeTenant,
  randomFaults,
  randomOf,
} from '@carton/stripe/testing';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';

const tenant = await openStripeTenant(t, { tier: 'basic' });
const { box, simulator, shopper: browser } = tenant;
const mug = await createArticle(box, 'mug', 1250, 10_000);
const withCard = { ...buyer, paymentMethod: 'card' };
const noFaults: Faults = () => null;

/** A shopper with an open payment session; with a card, paid at the provider but not yet known to the box. */
async function shopperWithSession(card?: Parameters<typeof browser.pay>[1]) {
  const shopper = await shopperWith(box, [mug, 1]);
  const { body } = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  if (card) await browser.pay(body.nextAction.value, card);
  return { shopper, session: body };
}

const paymentOf = async (orderId: string) => (await box.staff.get(`/admin/payments?orderId=${orderId}`)).body.items[0];
const statusOf = async (orderId: string) => (await box.staff.get(`/admin/orders/${orderId}`)).body.paymentStatus;
const entryOf = (id: string) => simulator.ledger().find(({ metadata }) => metadata.payment_id === id);

/** Loses every call of an operation before or after it takes effect, as if the process had died there. */
function breakAt(operation: Operation, moment: 'before' | 'after'): void {
  simulator.faults = (at, when) => (at === operation && when === moment ? { lose: true } : null);
}

async function setMode(captureMode: string): Promise<void> {
  const [{ id }] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${id}`, { captureMode });
}

t.afterEach(() => {
  simulator.faults = noFaults;
});

t.test('a payment without an order is abandoned', async (t) => {
  const opening = await shopperWith(box, [mug, 1]);
  for (const moment of ['before', 'after'] as const) {
    breakAt('create', moment);
    t.equal((await opening.post('/cart/payment-sessions', { paymentMethod: 'card' })).status, 502);
    simulator.faults = noFaults;
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  }
  for (const card of [undefined, 'pm_card_visa', 'pm_card_authenticationRequired'] as const) {
    const { session } = await shopperWithSession(card);
    await reconcile(box.db);
    t.not(entryOf(session.id)?.status, 'canceled', 'not before it expires');
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
    t.match(entryOf(session.id), { status: 'canceled', held: 0 }, `${card}`);
  }
  const { session } = await shopperWithSession('pm_card_visa');
  simulator.account().capture(session.reference, {});
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.match(entryOf(session.id), { captured: 1250, refunded: 1250 }, 'a captured amount is refunded');
  const rest = await box.db.query('select id from payment_sessions where tenant_id = $1 and check_at is not null');
  t.strictSame(rest, [], 'no further checks are scheduled');
});

t.test('abandoning a payment is retried until the provider responds', async (t) => {
  for (const [operation, captured] of [
    ['cancel', false],
    ['refund', true],
    ['list_refunds', true],
  ] as const) {
    for (const moment of ['before', 'after'] as const) {
      const { shopper, session } = await shopperWithSession('pm_card_visa');
      if (captured) simulator.account().capture(session.reference, {});
      breakAt(operation, moment);
      await shopper.post('/checkout', buyer);
      await ageByTwoDays(box.db);
      await reconcile(box.db);
      simulator.faults = noFaults;
      t.strictSame(await mismatchesAfterReconciliation(tenant), [], `${operation} ${moment}`);
    }
  }
});

t.test('the payment of a placed order is captured, wherever the request was interrupted', async (t) => {
  for (const [operation, moment] of [
    ['retrieve', 'before'],
    ['retrieve', 'after'],
    ['capture', 'before'],
    ['capture', 'after'],
  ] as const) {
    for (const retries of [true, false]) {
      const { shopper, session } = await shopperWithSession('pm_card_visa');
      const headers = { 'idempotency-key': newId() };
      breakAt(operation, moment);
      const broken = await shopper.post('/checkout', withCard, { headers });
      simulator.faults = noFaults;
      if (retries) {
        const retried = await shopper.post('/checkout', withCard, { headers });
        t.equal(retried.status, 201);
        if (broken.status === 201) t.equal(retried.body.id, broken.body.id);
      }
      t.strictSame(await mismatchesAfterReconciliation(tenant), [], `${operation} ${moment}, ${retries}`);
      const isOrdered = retries || broken.status === 201;
      t.equal(entryOf(session.id)?.captured, isOrdered ? 1250 : 0);
      if (broken.status === 201) t.equal(await statusOf(broken.body.id), 'paid');
    }
  }
});

t.test('a payment after the order is found without a webhook', async (t) => {
  const { shopper, session } = await shopperWithSession('pm_card_authenticationRequired');
  const { body } = await shopper.post('/checkout', withCard);
  t.equal(await statusOf(body.id), 'unpaid');
  await browser.pay(session.nextAction.value);
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.equal(await statusOf(body.id), 'paid');
});

t.test('the authorization of a canceled order is voided by the box', async (t) => {
  await setMode('manual');
  for (const fault of [null, 'cancel'] as const) {
    const { shopper } = await shopperWithSession('pm_card_visa');
    const { body } = await shopper.post('/checkout', withCard);
    if (fault) breakAt(fault, 'after');
    const before = simulator.calls.filter((call) => call === fault).length;
    await box.staff.post(`/admin/orders/${body.id}/cancel`);
    if (fault) {
      await until(
        () => simulator.calls.filter((call) => call === fault).length,
        (count) => count > before,
      );
      simulator.faults = noFaults;
    } else {
      await until(
        () => paymentOf(body.id),
        ({ status }) => status === 'voided',
      );
    }
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
    t.match(await paymentOf(body.id), { status: 'voided', captured: { amount: 0 } });
    t.equal(await statusOf(body.id), 'voided');
  }
  await setMode('automatic');
});

t.test('a capture in progress while its order is canceled takes no money', async (t) => {
  for (const moment of ['before', 'after'] as const) {
    const { shopper } = await shopperWithSession('pm_card_visa');
    breakAt('capture', moment);
    const { body } = await shopper.post('/checkout', withCard);
    t.equal(await statusOf(body.id), 'authorized');
    await box.staff.post(`/admin/orders/${body.id}/cancel`);
    simulator.faults = noFaults;
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
    const { status, captured, refunded } = await paymentOf(body.id);
    const expected = moment === 'before' ? ['voided', 0, 0] : ['captured', 1250, 1250];
    t.strictSame([status, captured.amount, refunded.amount], expected, 'an amount captured before is refunded');
    const { body: history } = await box.staff.get(`/admin/orders/${body.id}/timeline`);
    const isReported = history.items.some(({ message }: { message: string }) => message.includes('will be refunded'));
    t.equal(isReported, moment === 'after', 'the timeline reports it');
  }
});

t.test('concurrent processes reconcile each payment once', async (t) => {
  const sessionIds = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const { shopper, session } = await shopperWithSession('pm_card_visa');
      breakAt('capture', index % 2 ? 'before' : 'after');
      if (index < 4) await shopper.post('/checkout', withCard);
      return session.id as string;
    }),
  );
  simulator.faults = noFaults;
  for (let round = 0; round < 3; round++) {
    await ageByTwoDays(box.db);
    await Promise.all(Array.from({ length: 4 }, () => reconcile(box.db)));
  }
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.strictSame(sessionIds.map((id) => entryOf(id)?.captured).sort(), [0, 0, 1250, 1250, 1250, 1250]);
});

t.test(
  "with faults of every kind and webhooks in any order, the box's records match the provider's in the end",
  async (t) => {
    enableWebhooks(tenant);
    for (const seed of [1, 2, 3]) {
      const rates = { loseRequest: 0.15, loseResponse: 0.15, fail: 0.1, delay: 0.2, maxDelay: 50 };
      Object.assign(simulator.rates, { ...rates, delayEvent: 0.3, maxEventDelay: 400, repeatEvent: 0.3 });
      simulator.faults = randomFaults(randomOf(seed), simulator.rates);
      const cards = [
        'pm_card_visa',
        'pm_card_visa',
        'pm_card_authenticationRequired',
        'pm_card_chargeDeclined',
      ] as const;
      await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const shopper = await shopperWith(box, [mug, 1 + (index % 3)]);
          const opened = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
          if (opened.status === 201) await browser.pay(opened.body.nextAction.value, cards[index % cards.length]);
          if (index % 5 === 4) return;
          const placed = await shopper.post('/checkout', withCard, { headers: { 'idempotency-key': newId() } });
          if (placed.status === 201 && index % 4 === 1) await box.staff.post(`/admin/orders/${placed.body.id}/cancel`);
        }),
      );
      simulator.faults = noFaults;
      await simulator.webhooks.flush();
      t.strictSame(await mismatchesAfterReconciliation(tenant), [], `seed ${seed}`);
    }
  },
);

t.test('a declined card followed by an accepted one is one payment', async (t) => {
  enableWebhooks(tenant);
  const { shopper, session } = await shopperWithSession('pm_card_chargeDeclined');
  await simulator.webhooks.flush();
  await browser.pay(session.nextAction.value);
  const { body } = await shopper.post('/checkout', withCard);
  t.match(await paymentOf(body.id), { id: session.id, captured: { amount: 1250 } });
  t.equal(await statusOf(body.id), 'paid');
});
