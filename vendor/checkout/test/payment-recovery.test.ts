/**
 * Whatever breaks off between a cart and its money, the box finds and ends by itself: no order is paid twice, none is
 * paid and forgotten. With a real provider's library, against a server that loses what the test says.
 */
import { reconcile } from '@carton/payment';
import {
  ageByTwoDays,
  enableWebhooks,
  type Faults,
  mismatchesAfterReconciliation,
  type Operation,
  openStripeTenant,
  randomFaults,
  randomOf,
} from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import { until } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, makeArticle, shopperWith } from './tenant.ts';

const tenant = await openStripeTenant(t, { tier: 'basic' });
const { box, simulator, shopper: browser } = tenant;
const mug = await makeArticle(box, 'mug', 1250, 10_000);
const withCard = { ...buyer, paymentMethod: 'card' };
const sound: Faults = () => null;

/** A shopper whose cart is as far as `paid`: the card is charged, and the shop not told yet. */
async function shopperWithSession(card?: Parameters<typeof browser.pay>[1]) {
  const shopper = await shopperWith(box, [mug, 1]);
  const { body } = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  if (card) await browser.pay(body.nextAction.value, card);
  return { shopper, session: body };
}

const paymentOf = async (orderId: string) => (await box.staff.get(`/admin/payments?orderId=${orderId}`)).body.items[0];
const statusOf = async (orderId: string) => (await box.staff.get(`/admin/orders/${orderId}`)).body.paymentStatus;
const entryOf = (id: string) => simulator.ledger().find(({ metadata }) => metadata.payment_id === id);

/** Breaks every call of an operation at a moment, as a process that dies there would leave it. */
function breakAt(operation: Operation, moment: 'before' | 'after'): void {
  simulator.faults = (at, when) => (at === operation && when === moment ? { lose: true } : null);
}

async function setMode(captureMode: string): Promise<void> {
  const [{ id }] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${id}`, { captureMode });
}

t.afterEach(() => {
  simulator.faults = sound;
});

t.test('a payment that no order comes of is given up', async (t) => {
  const opening = await shopperWith(box, [mug, 1]);
  for (const moment of ['before', 'after'] as const) {
    breakAt('create', moment);
    t.equal((await opening.post('/cart/payment-sessions', { paymentMethod: 'card' })).status, 502);
    simulator.faults = sound;
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  }
  for (const card of [undefined, 'pm_card_visa', 'pm_card_authenticationRequired'] as const) {
    const { session } = await shopperWithSession(card);
    await reconcile(box.db);
    t.not(entryOf(session.id)?.status, 'canceled', 'not before its time');
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
    t.match(entryOf(session.id), { status: 'canceled', held: 0 }, `${card}`);
  }
  const { session } = await shopperWithSession('pm_card_visa');
  simulator.account().capture(session.reference, {});
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.match(entryOf(session.id), { captured: 1250, refunded: 1250 }, 'what was taken is given back');
  const rest = await box.db.query('select id from payment_sessions where tenant_id = $1 and check_at is not null');
  t.strictSame(rest, [], 'and then nobody asks any more');
});

t.test('giving up is tried until the provider has answered', async (t) => {
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
      simulator.faults = sound;
      t.strictSame(await mismatchesAfterReconciliation(tenant), [], `${operation} ${moment}`);
    }
  }
});

t.test('an order that stands is captured, wherever its shopper was left', async (t) => {
  for (const [operation, moment] of [
    ['retrieve', 'before'],
    ['retrieve', 'after'],
    ['capture', 'before'],
    ['capture', 'after'],
  ] as const) {
    for (const comesBack of [true, false]) {
      const { shopper, session } = await shopperWithSession('pm_card_visa');
      const headers = { 'idempotency-key': newId() };
      breakAt(operation, moment);
      const broken = await shopper.post('/checkout', withCard, { headers });
      simulator.faults = sound;
      if (comesBack) {
        const again = await shopper.post('/checkout', withCard, { headers });
        t.equal(again.status, 201);
        if (broken.status === 201) t.equal(again.body.id, broken.body.id);
      }
      t.strictSame(await mismatchesAfterReconciliation(tenant), [], `${operation} ${moment}, ${comesBack}`);
      const isOrdered = comesBack || broken.status === 201;
      t.equal(entryOf(session.id)?.captured, isOrdered ? 1250 : 0);
      if (broken.status === 201) t.equal(await statusOf(broken.body.id), 'paid');
    }
  }
});

t.test('a shopper who pays after the order is found without a call-back', async (t) => {
  const { shopper, session } = await shopperWithSession('pm_card_authenticationRequired');
  const { body } = await shopper.post('/checkout', withCard);
  t.equal(await statusOf(body.id), 'unpaid');
  await browser.pay(session.nextAction.value);
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.equal(await statusOf(body.id), 'paid');
});

t.test('what is held for an order that is canceled is voided by the box itself', async (t) => {
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
      simulator.faults = sound;
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

t.test('a capture that was open when its order was canceled takes no money', async (t) => {
  for (const moment of ['before', 'after'] as const) {
    const { shopper } = await shopperWithSession('pm_card_visa');
    breakAt('capture', moment);
    const { body } = await shopper.post('/checkout', withCard);
    t.equal(await statusOf(body.id), 'authorized');
    await box.staff.post(`/admin/orders/${body.id}/cancel`);
    simulator.faults = sound;
    t.strictSame(await mismatchesAfterReconciliation(tenant), []);
    const { status, captured, refunded } = await paymentOf(body.id);
    const expected = moment === 'before' ? ['voided', 0, 0] : ['captured', 1250, 1250];
    t.strictSame([status, captured.amount, refunded.amount], expected, 'what was taken before is given back');
    const { body: history } = await box.staff.get(`/admin/orders/${body.id}/timeline`);
    const told = history.items.some(({ message }: { message: string }) => message.includes('is given back'));
    t.equal(told, moment === 'after', 'and staff are told');
  }
});

t.test('processes that look after the same payments at once do each thing once', async (t) => {
  const left = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const { shopper, session } = await shopperWithSession('pm_card_visa');
      breakAt('capture', index % 2 ? 'before' : 'after');
      if (index < 4) await shopper.post('/checkout', withCard);
      return session.id as string;
    }),
  );
  simulator.faults = sound;
  for (let round = 0; round < 3; round++) {
    await ageByTwoDays(box.db);
    await Promise.all(Array.from({ length: 4 }, () => reconcile(box.db)));
  }
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
  t.strictSame(left.map((id) => entryOf(id)?.captured).sort(), [0, 0, 1250, 1250, 1250, 1250]);
});

t.test('under faults of every kind, and call-backs in any order, the books agree in the end', async (t) => {
  enableWebhooks(tenant);
  for (const seed of [1, 2, 3]) {
    const rates = { loseCall: 0.15, loseAnswer: 0.15, fail: 0.1, delay: 0.2, longestDelay: 50 };
    Object.assign(simulator.rates, { ...rates, lateEvent: 0.3, latestEvent: 400, duplicateEvent: 0.3 });
    simulator.faults = randomFaults(randomOf(seed), simulator.rates);
    const cards = ['pm_card_visa', 'pm_card_visa', 'pm_card_authenticationRequired', 'pm_card_chargeDeclined'] as const;
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
    simulator.faults = sound;
    await simulator.webhooks.flush();
    t.strictSame(await mismatchesAfterReconciliation(tenant), [], `seed ${seed}`);
  }
});

t.test('a card that is declined and another that is not are one payment', async (t) => {
  enableWebhooks(tenant);
  const { shopper, session } = await shopperWithSession('pm_card_chargeDeclined');
  await simulator.webhooks.flush();
  await browser.pay(session.nextAction.value);
  const { body } = await shopper.post('/checkout', withCard);
  t.match(await paymentOf(body.id), { id: session.id, captured: { amount: 1250 } });
  t.equal(await statusOf(body.id), 'paid');
});
