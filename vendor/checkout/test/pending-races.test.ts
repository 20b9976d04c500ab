/**
 * Races of a pending order: of its authorization and whatever ends it, one comes first. It is placed once or canceled
 * once; stock and money follow, and the provider's ledger agrees with the books.
 */
import { shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { reconcile, reconcileAll, TestProvider } from '@carton/payment/testing';
import { eventTypesOf, extendBox, raceRounds, untilDelivered } from '@carton/runtime/testing';
import { enableWebhooks, mismatchesAfterReconciliation } from '@carton/stripe/testing';
import t from 'tap';
import { openPendingBox, type Shopper, withCard } from './pending.ts';

const { tenant, box, browser, mug, orderOf, onHand, itemsOf, placePending, expire } = await openPendingBox(t);
const { simulator } = tenant;
enableWebhooks(tenant);

/** Starts the works in turn in either order. */
const inTurn = (round: number, ...works: (() => Promise<unknown>)[]) =>
  Promise.all((round % 2 ? works : works.toReversed()).map((work) => work()));

/** Checks that an order has ended in one way, with its events and its stock. */
async function checkEnd(t: Tap, id: string, before: number): Promise<string> {
  await simulator.webhooks.flush();
  await reconcileAll(box.db);
  const { status, paymentStatus, balance } = await orderOf(id);
  const events = await eventTypesOf(box, id);
  const of = (type: string) => events.filter((each) => each === type).length;
  t.equal(of('order.held') <= 1, true);
  t.equal(of('order.placed') <= 1, true, 'placed at most once');
  t.equal(of('order.canceled'), status === 'canceled' ? 1 : 0);
  t.equal(await onHand(mug), status === 'canceled' ? before : before - 1);
  if (status === 'placed') t.strictSame([paymentStatus, of('order.placed')], ['paid', 1]);
  else t.strictSame([status, balance.amount], ['canceled', 0]);
  return status;
}
type Tap = Pick<typeof t, 'equal' | 'strictSame'>;

t.test('authorization and the end of its time', async (t) => {
  const ends: { shopper: Shopper; status: string }[] = [];
  for (let round = 0; round < raceRounds; round++) {
    const before = await onHand(mug);
    const { shopper, order, secret } = await placePending();
    await expire(order.id);
    await inTurn(
      round,
      () => browser.pay(secret).then(() => simulator.webhooks.flush()),
      () => reconcile(box.db),
    );
    const status = await checkEnd(t, order.id, before);
    ends.push({ shopper, status });
  }
  await untilDelivered(box);
  for (const { shopper, status } of ends) {
    t.equal((await itemsOf(shopper)).length, status === 'canceled' ? 1 : 0, 'the lines return with a cancellation');
  }
  t.comment(ends.map(({ status }) => status).join());
});

t.test('the webhook and the response of the checkout', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const before = await onHand(mug);
    const shopper = await shopperWith(box, [mug, 1]);
    const { body: session } = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
    await browser.pay(session.nextAction.value, 'pm_card_authenticationRequired');
    const [answer] = await Promise.all([
      shopper.post('/checkout', withCard),
      browser.pay(session.nextAction.value).then(() => simulator.webhooks.flush()),
    ]);
    t.equal(answer.status, 201);
    t.equal(await checkEnd(t, answer.body.id, before), 'placed');
  }
});

t.test('a cancellation by staff and the authorization', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const before = await onHand(mug);
    const { order, secret } = await placePending();
    await inTurn(
      round,
      () => browser.pay(secret).then(() => simulator.webhooks.flush()),
      () => box.staff.post(`/admin/orders/${order.id}/cancel`),
    );
    t.equal(await checkEnd(t, order.id, before), 'canceled');
  }
});

t.test('two methods at once', async (t) => {
  const provider = new TestProvider('test', ['invoice', 'wallet']);
  extendBox(t, box, [paymentAdapters.with(provider)]);
  provider.confirmed = 'pending';
  await box.staff.get('/admin/payment-methods');
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [mug, 1]);
    const { body: order } = await shopper.post('/checkout', { ...withCard, paymentMethod: 'invoice' });
    t.equal(order.status, 'pending');
    const [first] = (await box.staff.get(`/admin/payments?orderId=${order.id}`)).body.items;
    const held = { status: 'authorized', captured: 0, refunded: 0 } as const;
    const other = () => shopper.post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'wallet' });
    await inTurn(
      round,
      async () => {
        const stored = provider.payments.get(first.id);
        if (stored?.status !== 'pending') return;
        stored.status = 'authorized';
        await provider.send(box, { id: `authorized-${first.id}`, payment: { id: first.id, state: held } });
      },
      other,
    );
    await reconcile(box.db);
    const { status, paymentStatus } = await orderOf(order.id);
    const { items: payments } = (await box.staff.get(`/admin/payments?orderId=${order.id}`)).body;
    const open = payments.filter((payment: { status: string }) => payment.status !== 'voided');
    t.equal(open.length, 1, 'one payment is left');
    // The first was authorized before the other replaced it, or is voided and the order waits for the other.
    if (open[0].id === first.id) t.strictSame([status, paymentStatus], ['placed', 'paid']);
    else t.equal(status, 'pending');
  }
});

t.test('the ledger of the provider agrees with the books', async (t) => {
  t.strictSame(await mismatchesAfterReconciliation(tenant), []);
});
