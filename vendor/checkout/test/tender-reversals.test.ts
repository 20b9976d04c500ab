/**
 * Payments by tenders are refunded to them: when the order is canceled, by staff, and as the last part of a refund of the
 * order; never more than the debit.
 */
import { shopperWith } from '@carton/cart/testing';
import { refundOrder } from '@carton/payment';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { bindTo, boxWithGiftCards, cardBalances, createCard, entriesOf, selectCards } from './gift-cards.ts';
import { buyer, createArticle } from './helpers.ts';

const box = await boxWithGiftCards(t);
const mug = await createArticle(box, 'mug', 2500, 1000);
const withCard = { ...buyer, paymentMethod: 'card' };
const sum = (amount: number) => ({ amount, currency: 'EUR' });
const read = async (orderId: string) => (await box.staff.get(`/admin/orders/${orderId}`)).body;
const step = (id: string, what: string, body?: unknown) => box.staff.post(`/admin/payments/${id}/${what}`, body);

interface Recorded {
  id: string;
  provider: string;
  reference: string;
  captured: { amount: number };
  refunded: { amount: number };
}

/** The payments of an order, newest first: cards in reverse order of use, then the provider's. */
const paymentsOf = async (orderId: string): Promise<Recorded[]> =>
  (await box.staff.get(`/admin/payments?orderId=${orderId}`)).body.items;

/** Places an order of 25.00, paid with cards of 4.00 and 6.00 and the rest by the body's payment method. */
async function placeWithCards(body: object) {
  const cards = [await createCard(box, 400), await createCard(box, 600)] as const;
  const shopper = await shopperWith(box, [mug, 1]);
  await selectCards(box, shopper, ...cards);
  const { body: order } = await shopper.post('/checkout', body);
  return { orderId: order.id as string, cards };
}

t.test('canceling refunds tenders once', async (t) => {
  const provider = bindTo(t, box);
  const [method] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${method.id}`, { captureMode: 'manual' });
  const { orderId, cards } = await placeWithCards(withCard);
  t.match(await read(orderId), { paymentStatus: 'partially_paid', balance: sum(1500) });
  const cancel = () => box.staff.post(`/admin/orders/${orderId}/cancel`);
  const answers = await Promise.all([cancel(), cancel(), cancel()]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  t.strictSame(await cardBalances(box, ...cards), [400, 600]);
  t.strictSame(await entriesOf(box, orderId), [-400, -600, 600, 400]);
  t.match(await read(orderId), { status: 'canceled', paymentStatus: 'refunded', balance: sum(0) });
  const refunds = (await box.staff.get(`/admin/refunds?orderId=${orderId}`)).body.items;
  t.match(
    refunds,
    exactly([
      { provider: 'gift_card', amount: sum(400), status: 'succeeded', reason: 'The order was canceled' },
      { provider: 'gift_card', amount: sum(600), status: 'succeeded' },
    ]),
  );
  t.strictSame(
    provider.calls.filter((call) => call.startsWith('refund')),
    [],
  );
  await box.staff.patch(`/admin/payment-methods/${method.id}`, { captureMode: 'automatic' });
});

t.test('amounts refunded before a cancellation are not refunded again', async (t) => {
  for (const [refunded, entries] of [
    [250, [-400, -600, 250, 350, 400]],
    [600, [-400, -600, 600, 400]],
  ] as const) {
    const { orderId, cards } = await placeWithCards(buyer);
    const [last] = await paymentsOf(orderId);
    await step(last?.id as string, 'refunds', { amount: sum(refunded) });
    t.equal((await box.staff.post(`/admin/orders/${orderId}/cancel`)).status, 200);
    t.strictSame(await cardBalances(box, ...cards), [400, 600]);
    t.strictSame(await entriesOf(box, orderId), entries);
  }
});

t.test('staff refund to a card, at most its debit, without a call to a provider', async (t) => {
  const { orderId, cards } = await placeWithCards(buyer);
  const [payment] = await paymentsOf(orderId);
  t.match(payment, { provider: 'gift_card', reference: cards[1] });
  const id = payment?.id as string;
  t.match(await step(id, 'refunds', { amount: sum(601) }), {
    status: 409,
    body: { code: 'payment_step_not_possible', detail: 'At most 6.00 EUR is left to refund.' },
  });
  t.match(await step(id, 'capture'), { status: 409, body: { code: 'payment_step_not_possible' } });
  const answers = await Promise.all([1, 2, 3].map(() => step(id, 'refunds', { amount: sum(300) })));
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 201, 409]);
  t.strictSame(await cardBalances(box, ...cards), [0, 600]);
  t.match(await step(id, 'refunds'), { status: 409 });
  t.match(await read(orderId), { paymentStatus: 'partially_refunded', balance: sum(1500) });
  const [, first] = await paymentsOf(orderId);
  t.match(await step(first?.id as string, 'void'), { status: 200, body: { status: 'voided', captured: sum(0) } });
  t.strictSame(await cardBalances(box, ...cards), [400, 600], 'voiding restores the balance');
});

t.test(
  "a refund of the order is split: the provider's payment first, then the cards in reverse order of use",
  async (t) => {
    const provider = bindTo(t, box);
    const { orderId, cards } = await placeWithCards(withCard);
    t.match(await read(orderId), { paymentStatus: 'paid', balance: sum(0) });
    provider.calls.length = 0;
    const db = box.box.database.forTenant(box.id);
    const refund = (amount: number, workId = newId()) => refundOrder(db, orderId, { workId, amount: sum(amount) });
    const split = async (amount: number, workId?: string) =>
      (await refund(amount, workId)).map(({ provider: name, amount: part, status }) => [name, part.amount, status]);

    await t.rejects(refundOrder(db, orderId, { workId: newId(), amount: { amount: 1, currency: 'USD' } }), {
      type: { code: 'invalid_request' },
      message: 'body /amount/currency: must be EUR',
    });
    const work = newId();
    t.strictSame(await split(1000, work), [['test', 1000, 'succeeded']]);
    t.strictSame(await split(1000, work), [['test', 1000, 'succeeded']], 'the same work id refunds nothing more');
    t.strictSame(await split(700), [
      ['test', 500, 'succeeded'],
      ['gift_card', 200, 'succeeded'],
    ]);
    t.strictSame(await cardBalances(box, ...cards), [0, 200]);
    await t.rejects(refund(801), {
      type: { code: 'payment_step_not_possible' },
      message: 'At most 8.00 EUR is left to refund.',
    });
    const answers = await Promise.allSettled([split(500), split(500)]);
    t.strictSame(
      answers.map((answer) => answer.status).sort(),
      ['fulfilled', 'rejected'],
      'one of two concurrent refunds',
    );
    t.strictSame(await split(300), [['gift_card', 300, 'succeeded']]);
    t.strictSame(await cardBalances(box, ...cards), [400, 600]);
    t.strictSame(provider.calls, ['refund 1000', 'refund 500']);
    t.match(await read(orderId), { paymentStatus: 'refunded', balance: sum(0) });
    for (const { captured, refunded } of await paymentsOf(orderId)) t.strictSame(refunded, captured);
    await t.rejects(refund(1), { message: 'At most 0.00 EUR is left to refund.' });
  },
);

t.test('a split refund whose provider is unavailable is completed by a retry, each part once', async (t) => {
  const provider = bindTo(t, box);
  const { orderId, cards } = await placeWithCards(withCard);
  const db = box.box.database.forTenant(box.id);
  const request = { workId: newId(), amount: sum(2000) };
  provider.before = () => {
    throw new TypeError('socket hang up');
  };
  await t.rejects(refundOrder(db, orderId, request), { type: { code: 'payment_provider_failed' }, message: /./ });
  const other = { workId: newId(), amount: sum(100) };
  // No other refund is possible in the meantime.
  await t.rejects(refundOrder(db, orderId, other), { type: { code: 'payment_step_busy' }, message: /./ });
  provider.before = () => {};
  provider.calls.length = 0;
  const refunds = await refundOrder(db, orderId, request);
  t.match(
    refunds,
    exactly([
      { provider: 'test', amount: sum(1500), status: 'succeeded' },
      { provider: 'gift_card', amount: sum(500), status: 'succeeded' },
    ]),
  );
  t.strictSame(provider.calls, ['refund 1500']);
  t.strictSame(await cardBalances(box, ...cards), [0, 500]);
  t.match(await read(orderId), { paymentStatus: 'partially_refunded', balance: sum(0) });
});
