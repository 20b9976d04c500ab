/**
 * Stock is reserved for a cart from the start of its payment to its end.
 */

import { type Article, shopperWith } from '@carton/cart/testing';
import { releaseExpiredReservations } from '@carton/inventory/testing';
import { createMember, password } from '@carton/member/testing';
import { createTestBox, exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { bindProvider, buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const settings = '/admin/checkout-settings';
const withCard = { ...buyer, paymentMethod: 'card' };
const card = { paymentMethod: 'card' };

async function levelOf({ stockItemId }: Article) {
  const { onHand, reserved } = (await box.staff.get(`/admin/stock-items/${stockItemId}`)).body;
  return { onHand, reserved };
}
const reservations = () =>
  box.db.query('select reference_id, quantity from stock_reservations where tenant_id = $1 order by created_at');

let created = 0;
/** An article with one unit in stock, and two shoppers with it in their carts. */
async function articleWithOneUnit() {
  const article = await createArticle(box, `last-${++created}`, 900, 1);
  return { article, holder: await shopperWith(box, [article, 1]), other: await shopperWith(box, [article, 1]) };
}
const short = { status: 409, body: { code: 'insufficient_stock' } };

t.test('stock of a cart with a payment in progress is reserved for that cart only', async (t) => {
  bindProvider(box, t);
  const { article, holder, other } = await articleWithOneUnit();
  t.equal((await holder.post('/cart/payment-sessions', card)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 1 });
  t.match((await holder.get('/checkout')).body, { ready: true, requirements: exactly([]) });
  t.match((await other.get('/checkout')).body, {
    ready: false,
    requirements: exactly([{ code: 'insufficient_stock' }]),
  });
  t.match(await other.post('/checkout', buyer), short);
  t.match(await other.post('/cart/payment-sessions', card), short, 'no second payment starts for it');
  t.equal((await holder.post('/checkout', withCard)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
  t.strictSame(await reservations(), []);
});

t.test('an order placed without the payment consumes the reservation of its cart', async (t) => {
  bindProvider(box, t);
  const { article, holder } = await articleWithOneUnit();
  await holder.post('/cart/payment-sessions', card);
  t.equal((await holder.post('/checkout', buyer)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
});

t.test('the order consumes the reservation even if the quantity has changed', async (t) => {
  bindProvider(box, t);
  const article = await createArticle(box, 'many', 900, 10);
  const shopper = await shopperWith(box, [article, 6]);
  await shopper.post('/cart/payment-sessions', card);
  const [{ id }] = (await shopper.get('/cart')).body.items;
  await shopper.patch(`/cart/items/${id}`, { quantity: 4 });
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 6, reserved: 0 });
});

t.test('nothing is reserved for a cart that its shopper has emptied', async (t) => {
  bindProvider(box, t);
  for (const way of ['the cart', 'its last item', 'all items, replaced by none']) {
    const { article, holder, other } = await articleWithOneUnit();
    const rest = await createArticle(box, `rest-${created}`, 900, 1);
    await holder.post('/cart/items', { variantId: rest.variantId, quantity: 1 });
    t.equal((await holder.post('/cart/payment-sessions', card)).status, 201);
    const items: { id: string }[] = (await holder.get('/cart')).body.items;
    if (way === 'the cart') await holder.delete('/cart');
    else if (way === 'all items, replaced by none') await holder.put('/cart/items', { items: [] });
    else for (const { id } of items) await holder.delete(`/cart/items/${id}`);
    t.strictSame(
      [await levelOf(article), await levelOf(rest)],
      [1, 1].map((onHand) => ({ onHand, reserved: 0 })),
      way,
    );
    t.equal((await other.post('/checkout', buyer)).status, 201);
  }
});

t.test('nothing is reserved for the cart of a guest who logs in: its items are in another', async (t) => {
  bindProvider(box, t);
  const { article, holder, other } = await articleWithOneUnit();
  t.equal((await holder.post('/cart/payment-sessions', card)).status, 201);
  const member = await createMember(box);
  const { email } = (await member.get('/member')).body;
  t.equal((await holder.post('/member/login', { email, password })).status, 200);
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 0 });
  t.equal((await other.post('/checkout', buyer)).status, 201);
});

t.test('a failed payment releases the reservation', async (t) => {
  const provider = bindProvider(box, t);
  const { article, holder, other } = await articleWithOneUnit();
  provider.confirmed = 'failed';
  t.match(await holder.post('/checkout', withCard), { status: 409, body: { code: 'payment_refused' } });
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 0 });
  t.equal((await other.post('/checkout', buyer)).status, 201);
});

t.test('a reservation expires', async (t) => {
  bindProvider(box, t);
  const { article, holder, other } = await articleWithOneUnit();
  await holder.post('/cart/payment-sessions', card);
  const [{ minutes }] = (await box.db.query(
    'select extract(epoch from ends_at - now()) / 60 as minutes from stock_reservations where tenant_id = $1',
  )) as [{ minutes: number }];
  t.ok(minutes > 10 && minutes <= 15, 'as long as the setting says');
  await box.db.query("update stock_reservations set ends_at = now() - interval '1 second' where tenant_id = $1");
  await releaseExpiredReservations(box.db);
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 0 });
  t.equal((await other.post('/checkout', buyer)).status, 201);
  t.match(await holder.post('/checkout', withCard), { status: 409 });
});

t.test('a background job releases expired reservations and no others', async (t) => {
  bindProvider(box, t);
  const [expired, active] = [await articleWithOneUnit(), await articleWithOneUnit()];
  for (const { holder } of [expired, active]) await holder.post('/cart/payment-sessions', card);
  await box.db.query(
    "update stock_reservations set ends_at = now() - interval '1 second' where tenant_id = $1 and stock_item_id = $2",
    [expired.article.stockItemId],
  );
  await box.db.query(
    "update background_tasks set due_at = now() where tenant_id = $1 and name = 'inventory.release-ended'",
  );
  await until(
    () => levelOf(expired.article),
    ({ reserved }) => reserved === 0,
  );
  t.strictSame(await levelOf(active.article), { onHand: 1, reserved: 1 });
});

t.test('a reservation expires with its payment, if that comes first', async (t) => {
  bindProvider(box, t);
  await box.staff.patch(settings, { reservationMinutes: 1440 });
  t.teardown(() => box.staff.patch(settings, { reservationMinutes: 15 }));
  const { article, holder } = await articleWithOneUnit();
  await holder.post('/cart/payment-sessions', card);
  const [row] = await box.db.query<{ minutes: number }>(
    `select extract(epoch from ends_at - now())::float8 / 60 as minutes from stock_reservations
      where tenant_id = $1 and stock_item_id = $2`,
    [article.stockItemId],
  );
  const { minutes = 0 } = row ?? {};
  t.ok(minutes > 50 && minutes <= 60, `${minutes}`);
});

t.test('of two concurrent payments for the last unit one succeeds, and the other shopper pays nothing', async (t) => {
  const provider = bindProvider(box, t);
  for (let round = 0; round < 6; round++) {
    provider.calls.length = 0;
    const { article, holder, other } = await articleWithOneUnit();
    const answers = await Promise.all([holder, other].map((shopper) => shopper.post('/checkout', withCard)));
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
    t.equal(provider.calls.filter((call) => call.startsWith('capture')).length, 1);
    t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
  }
});

t.test('reservations can be disabled, or enabled before the payment', async (t) => {
  bindProvider(box, t);
  await box.staff.patch(settings, { reservationMinutes: 0 });
  const first = await articleWithOneUnit();
  await first.holder.post('/cart/payment-sessions', card);
  t.strictSame(await levelOf(first.article), { onHand: 1, reserved: 0 });
  await box.staff.patch(settings, { reservationMinutes: 30 });
  const off = { status: 409, body: { code: 'reservation_off' } };
  t.match(await first.holder.post('/checkout/reservation'), off);

  await box.staff.patch(settings, { reserveAtCheckout: true });
  const { article, holder, other } = await articleWithOneUnit();
  const held = await holder.post('/checkout/reservation');
  t.equal(held.status, 200);
  const minutes = (Date.parse(held.body.endsAt) - Date.now()) / 60_000;
  t.ok(minutes > 25 && minutes <= 30);
  t.match(await other.post('/checkout/reservation'), short);
  t.match(await other.post('/checkout', buyer), short);
  t.match(await box.shopper().post('/checkout/reservation'), { status: 409, body: { code: 'cart_empty' } });
  t.equal((await holder.post('/checkout', buyer)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
});
