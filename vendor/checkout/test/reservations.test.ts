/**
 * Stock is promised from the beginning of a payment to its end: to its cart alone, and no longer.
 */
import { releaseAllEnded } from '@carton/inventory';
import { createTestBox, exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { type Article, bindProvider, buyer, makeArticle, shopperWith } from './tenant.ts';

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

let made = 0;
/** The last piece of something, and two who want it. */
async function lastPiece() {
  const article = await makeArticle(box, `last-${++made}`, 900, 1);
  return { article, holder: await shopperWith(box, [article, 1]), other: await shopperWith(box, [article, 1]) };
}
const short = { status: 409, body: { code: 'insufficient_stock' } };

t.test('what a payment has begun for is there for its cart and for nobody else', async (t) => {
  bindProvider(box, t);
  const { article, holder, other } = await lastPiece();
  t.equal((await holder.post('/cart/payment-sessions', card)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 1 });
  t.match((await holder.get('/checkout')).body, { ready: true, requirements: exactly([]) });
  t.match((await other.get('/checkout')).body, {
    ready: false,
    requirements: exactly([{ code: 'insufficient_stock' }]),
  });
  t.match(await other.post('/checkout', buyer), short);
  t.match(await other.post('/cart/payment-sessions', card), short, 'no second payment begins for it');
  t.equal((await holder.post('/checkout', withCard)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
  t.strictSame(await reservations(), []);
});

t.test('an order that is paid otherwise takes what is held for its cart', async (t) => {
  bindProvider(box, t);
  const { article, holder } = await lastPiece();
  await holder.post('/cart/payment-sessions', card);
  t.equal((await holder.post('/checkout', buyer)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
});

t.test('what is held goes with the cart as it is ordered', async (t) => {
  bindProvider(box, t);
  const article = await makeArticle(box, 'many', 900, 10);
  const shopper = await shopperWith(box, [article, 6]);
  await shopper.post('/cart/payment-sessions', card);
  const [{ id }] = (await shopper.get('/cart')).body.items;
  await shopper.patch(`/cart/items/${id}`, { quantity: 4 });
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
  t.strictSame(await levelOf(article), { onHand: 6, reserved: 0 });
});

t.test('a payment that fails lets it go', async (t) => {
  const provider = bindProvider(box, t);
  const { article, holder, other } = await lastPiece();
  provider.confirmed = 'failed';
  t.match(await holder.post('/checkout', withCard), { status: 409, body: { code: 'payment_refused' } });
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 0 });
  t.equal((await other.post('/checkout', buyer)).status, 201);
});

t.test('a promise ends by itself', async (t) => {
  bindProvider(box, t);
  const { article, holder, other } = await lastPiece();
  await holder.post('/cart/payment-sessions', card);
  const [{ minutes }] = (await box.db.query(
    'select extract(epoch from ends_at - now()) / 60 as minutes from stock_reservations where tenant_id = $1',
  )) as [{ minutes: number }];
  t.ok(minutes > 10 && minutes <= 15, 'as long as the shop says');
  await box.db.query("update stock_reservations set ends_at = now() - interval '1 second' where tenant_id = $1");
  await releaseAllEnded(box.db);
  t.strictSame(await levelOf(article), { onHand: 1, reserved: 0 });
  t.equal((await other.post('/checkout', buyer)).status, 201);
  t.match(await holder.post('/checkout', withCard), { status: 409 });
});

t.test('the box sees to it, and to nothing that still stands', async (t) => {
  bindProvider(box, t);
  const [ended, standing] = [await lastPiece(), await lastPiece()];
  for (const { holder } of [ended, standing]) await holder.post('/cart/payment-sessions', card);
  await box.db.query(
    "update stock_reservations set ends_at = now() - interval '1 second' where tenant_id = $1 and stock_item_id = $2",
    [ended.article.stockItemId],
  );
  await box.db.query(
    "update background_tasks set due_at = now() where tenant_id = $1 and name = 'inventory.release-ended'",
  );
  await until(
    () => levelOf(ended.article),
    ({ reserved }) => reserved === 0,
  );
  t.strictSame(await levelOf(standing.article), { onHand: 1, reserved: 1 });
});

t.test('a promise ends with the payment that it was made for, if that comes first', async (t) => {
  bindProvider(box, t);
  await box.staff.patch(settings, { reservationMinutes: 1440 });
  t.teardown(() => box.staff.patch(settings, { reservationMinutes: 15 }));
  const { article, holder } = await lastPiece();
  await holder.post('/cart/payment-sessions', card);
  const [row] = await box.db.query<{ minutes: number }>(
    `select extract(epoch from ends_at - now())::float8 / 60 as minutes from stock_reservations
      where tenant_id = $1 and stock_item_id = $2`,
    [article.stockItemId],
  );
  const { minutes = 0 } = row ?? {};
  t.ok(minutes > 50 && minutes <= 60, `${minutes}`);
});

t.test('of two who pay for the last piece at once one gets it, and the other pays nothing', async (t) => {
  const provider = bindProvider(box, t);
  for (let round = 0; round < 6; round++) {
    provider.calls.length = 0;
    const { article, holder, other } = await lastPiece();
    const answers = await Promise.all([holder, other].map((shopper) => shopper.post('/checkout', withCard)));
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
    t.equal(provider.calls.filter((call) => call.startsWith('capture')).length, 1);
    t.strictSame(await levelOf(article), { onHand: 0, reserved: 0 });
  }
});

t.test('a shop may hold nothing, or hold it before the payment', async (t) => {
  bindProvider(box, t);
  await box.staff.patch(settings, { reservationMinutes: 0 });
  const first = await lastPiece();
  await first.holder.post('/cart/payment-sessions', card);
  t.strictSame(await levelOf(first.article), { onHand: 1, reserved: 0 });
  await box.staff.patch(settings, { reservationMinutes: 30 });
  const off = { status: 409, body: { code: 'reservation_off' } };
  t.match(await first.holder.post('/checkout/reservation'), off);

  await box.staff.patch(settings, { reserveAtCheckout: true });
  const { article, holder, other } = await lastPiece();
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
