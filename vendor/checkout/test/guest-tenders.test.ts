/**
 * What a gift card pays of a guest's order does not take the order out of the limit of unpaid units: a card may be worth
 * one cent, and is given back with the order. Money, and what a provider has authorized, does.
 */
import { shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { exactly, extendBox } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { forgetEndedOrders } from '../guests/service.ts';
import { boxWithGiftCards, cardBalances, createCard, selectCards } from './gift-cards.ts';
import { createArticle } from './helpers.ts';

const box = await boxWithGiftCards(t);
const mug = await createArticle(box, 'mug', 1000, 100_000);
const card = new TestProvider();
const transfer = Object.assign(new TestProvider('transfer', ['bank_transfer']), { byHand: true });
await box.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: 10 });

function bind(t: Test) {
  extendBox(t, box, [paymentAdapters.with(card), paymentAdapters.with(transfer)]);
  card.confirmed = 'pending';
  transfer.confirmed = 'pending';
}

let guests = 0;
const anyEmail = () => `guest-${++guests}@example.com`;

/** Orders with a gift card of one cent, or of another worth. */
async function order(quantity: number, email: string, more: object = {}, worth = 1) {
  const shopper = await shopperWith(box, [mug, quantity]);
  const gift = await createCard(box, worth);
  await selectCards(box, shopper, gift);
  return { shopper, gift, ...(await shopper.post('/checkout', { customer: { email }, ...more })) };
}
const rows = async (orderId: string) =>
  (await box.db.query('select 1 from guest_units where tenant_id = $1 and order_id = $2', [orderId])).length;
const refused = { status: 409, body: { code: 'unpaid_units_limit', limit: 10 } };

t.test('an order with a gift card of one cent counts, pending, by hand or without a method', async (t) => {
  bind(t);
  for (const more of [{ paymentMethod: 'card' }, { paymentMethod: 'bank_transfer' }, {}]) {
    const big = await order(11, anyEmail(), more);
    t.match(big, refused, JSON.stringify(more));
    t.strictSame(await cardBalances(box, big.gift), [1], 'the card is not used');
    const email = anyEmail();
    t.equal((await order(6, email, more)).status, 201);
    t.match(await order(5, email, more), refused);
    t.equal((await order(4, email, more)).status, 201);
  }
});

t.test('an order that a gift card pays in full holds no unpaid units, nor does its preview', async (t) => {
  bind(t);
  const shopper = await shopperWith(box, [mug, 11]);
  await selectCards(box, shopper, await createCard(box, 11_000));
  t.match((await shopper.get('/checkout?paymentMethod=bank_transfer')).body.requirements, exactly([]));
  const { status, body } = await shopper.post('/checkout', { customer: { email: anyEmail() } });
  t.strictSame([status, body.paymentStatus], [201, 'paid']);
  t.equal(await rows(body.id), 0);
});

t.test('a rest that is authorized, or that staff receive in part, ends the count', async (t) => {
  bind(t);
  const email = anyEmail();
  const { items } = (await box.staff.get('/admin/payment-methods')).body;
  const { id: methodId } = items.find(({ provider }: { provider: string }) => provider === 'test');
  await box.staff.patch(`/admin/payment-methods/${methodId}`, { captureMode: 'manual' });
  const pending = await order(10, email, { paymentMethod: 'card' });
  t.match(pending, { status: 201, body: { status: 'pending', paymentStatus: 'partially_paid' } });
  t.match(await order(1, email), refused);
  const payments = (await box.staff.get(`/admin/payments?orderId=${pending.body.id}`)).body.items;
  const { id } = payments.find(({ provider }: { provider: string }) => provider === 'test');
  const state = { status: 'authorized', captured: 0, refunded: 0 } as const;
  Object.assign(card.payments.get(id) as object, state);
  await card.send(box, { id: `authorized-${id}`, payment: { id, state } });
  const byHand = await order(10, email);
  t.equal(byHand.status, 201, 'the money is held');
  t.match(await order(1, email), refused);
  const received = { amount: { amount: 1, currency: 'EUR' }, method: 'cash' };
  t.equal((await box.staff.post(`/admin/orders/${byHand.body.id}/payments`, received)).status, 201);
  t.equal((await order(1, email)).status, 201);
  await forgetEndedOrders(box.db);
  t.strictSame([await rows(pending.body.id), await rows(byHand.body.id)], [0, 0]);
});
