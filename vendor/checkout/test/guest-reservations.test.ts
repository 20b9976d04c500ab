/**
 * What guests reserve in carts counts as what they hold in unpaid orders: by session, by e-mail address and by client
 * address. Many sessions together reserve no more than one.
 */

import { shopperWith } from '@carton/cart/testing';
import { releaseExpiredReservations } from '@carton/inventory/testing';
import { createMember } from '@carton/member/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import {
  type Caller,
  createTestBox,
  eventTypesOf,
  exactly,
  extendBox,
  raceRounds,
  type TestTenant,
} from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { forgetEndedOrders } from '../guests/service.ts';
import { createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic', trustProxy: 'loopback', idleJobs: true });
const card = new TestProvider();
const transfer = Object.assign(new TestProvider('transfer', ['bank_transfer']), { byHand: true });
const limit = 10;

type Article = Awaited<ReturnType<typeof createArticle>>;

async function storeWith(t: Test) {
  extendBox(t, box, [paymentAdapters.with(card), paymentAdapters.with(transfer)]);
  card.confirmed = 'pending';
  transfer.confirmed = 'pending';
  const store = await box.openTenant();
  await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: limit, reserveAtCheckout: true });
  return { store, mug: await createArticle(store, 'mug', 1250, 983) };
}

let addresses = 0;
const from = (address = `203.0.${++addresses >> 8}.${addresses & 255}`) => ({
  headers: { 'x-forwarded-for': address },
});
let mails = 0;
const anyEmail = () => `guest-${++mails}@example.com`;
const byCard = { paymentMethod: 'card' };

const startsPayment = (shopper: Caller, at = from()) => shopper.post('/cart/payment-sessions', byCard, at);
const reserves = (shopper: Caller, at = from()) => shopper.post('/checkout/reservation', {}, at);
const orders = (shopper: Caller, at = from(), more: object = {}) =>
  shopper.post('/checkout', { customer: { email: anyEmail() }, ...more }, at);
const reserved = async (store: TestTenant) =>
  (await store.db.query<{ sum: number }>('select sum(reserved) from stock_levels where tenant_id = $1'))[0]?.sum;
const rowsOf = async (store: TestTenant) =>
  (await store.db.query('select 1 from guest_reservations where tenant_id = $1')).length;
const refused = { status: 409, body: { code: 'unpaid_units_limit', limit } };

t.test('many sessions of one client reserve no more than one', async (t) => {
  const { store, mug } = await storeWith(t);
  const at = from();
  for (let session = 0; session < 5; session++) {
    const { status } = await startsPayment(await shopperWith(store, [mug, 4]), at);
    t.equal(status, 201, 'the payment starts all the same');
    t.equal(await reserved(store), Math.min(8, 4 * (session + 1)));
  }
  const moved = await eventTypesOf(store, { type: /^stock\.(reserved|released|low)$/ });
  t.strictSame(moved, ['stock.reserved', 'stock.reserved'], 'the others are not reserved for a moment either');
  t.match(await reserves(await shopperWith(store, [mug, 3]), at), refused);
  t.equal((await reserves(await shopperWith(store, [mug, 2]), at)).status, 200);
  t.equal(await reserved(store), 10);
  t.equal((await startsPayment(await shopperWith(store, [mug, 10]))).status, 201);
  t.equal(await reserved(store), 20, 'another client has a limit of its own');
});

t.test('and many of one e-mail address', async (t) => {
  const { store, mug } = await storeWith(t);
  const withEmail = async (email: string, quantity: number) => {
    const shopper = await shopperWith(store, [mug, quantity]);
    t.equal((await shopper.patch('/cart', { email })).status, 200);
    return shopper;
  };
  await startsPayment(await withEmail('ada@example.com', 6));
  await startsPayment(await withEmail('ADA@example.com', 6));
  t.equal(await reserved(store), 6);
  t.match(await reserves(await withEmail('ada@example.com', 5)), refused);
  // The address that is sent with the order counts before its payment starts.
  card.confirmed = 'authorized';
  const shopper = await shopperWith(store, [mug, 6]);
  const sent = { customer: { email: 'ada@example.com' }, ...byCard };
  t.equal((await shopper.post('/checkout', sent, from())).status, 201, 'an authorized order has no limit');
  t.equal(await reserved(store), 6);
  await startsPayment(await withEmail('grace@example.com', 6));
  t.equal(await reserved(store), 12);
});

t.test('orders and reservations of a session count together', async (t) => {
  const { store, mug } = await storeWith(t);
  const shopper = await shopperWith(store, [mug, 6]);
  t.match(await orders(shopper, from(), byCard), { status: 201, body: { status: 'pending' } });
  const add = (quantity: number) => shopper.post('/cart/items', { variantId: mug.variantId, quantity });
  await add(5);
  t.equal((await startsPayment(shopper)).status, 201);
  t.equal(await reserved(store), 0);
  t.match(await reserves(shopper), refused);
  await shopper.delete('/cart');
  await add(4);
  t.equal((await reserves(shopper)).status, 200);
  t.equal((await orders(shopper)).status, 201, 'its own reservation becomes the order');
  t.equal(await reserved(store), 0);
});

t.test('an order counts what other carts of the client have reserved', async (t) => {
  const { store, mug } = await storeWith(t);
  const at = from();
  await startsPayment(await shopperWith(store, [mug, 6]), at);
  const second = await shopperWith(store, [mug, 5]);
  const preview = '/checkout?paymentMethod=bank_transfer';
  t.match((await second.get(preview, at)).body, { requirements: exactly([{ code: 'unpaid_units_limit' }]) });
  t.match(await orders(second, at), refused);
  t.match(await orders(second, at, byCard), refused, 'neither a pending one');
  t.equal((await orders(await shopperWith(store, [mug, 4]), at)).status, 201);
});

t.test('what is released or has ended counts no more', async (t) => {
  const { store, mug } = await storeWith(t);
  const at = from();
  const holder = await shopperWith(store, [mug, 10]);
  const other = await shopperWith(store, [mug, 1]);
  const isRefused = async () => {
    const { status } = await reserves(other, at);
    await other.delete('/cart');
    await other.post('/cart/items', { variantId: mug.variantId, quantity: 1 });
    return status === 409;
  };
  await startsPayment(holder, at);
  t.ok(await isRefused());
  await holder.delete('/cart');
  t.notOk(await isRefused(), 'its cart was emptied');
  await holder.post('/cart/items', { variantId: mug.variantId, quantity: 10 });
  await startsPayment(holder, at);
  t.ok(await isRefused());
  const longAgo = "update guest_reservations set reserved_at = now() - interval '2 minutes' where tenant_id = $1";
  await store.db.query(longAgo);
  await forgetEndedOrders(store.db);
  t.ok(await isRefused(), 'rows of reservations are not deleted');
  await store.db.query("update stock_reservations set ends_at = now() - interval '1 second' where tenant_id = $1");
  await releaseExpiredReservations(store.db);
  t.notOk(await isRefused(), 'it has ended');
  await store.db.query(longAgo);
  await forgetEndedOrders(store.db);
  t.equal(await rowsOf(store), 0);
});

t.test('a storefront that names its shopper is counted by the named address, any other server by none', async (t) => {
  const { store, mug } = await storeWith(t);
  const key = (
    await store.staff.post('/admin/api-keys', { name: 'Storefront', kind: 'secret', scopes: ['storefront:write'] })
  ).body.key as string;
  const through = (address: string, credential = key) => ({
    headers: { ...from('127.0.0.1').headers, 'x-shopper-address': address, 'x-storefront-key': credential },
  });
  const held = async (at: ReturnType<typeof from>) => {
    const before = (await reserved(store)) ?? 0;
    await startsPayment(await shopperWith(store, [mug, 6]), at);
    return ((await reserved(store)) ?? 0) - before;
  };
  t.equal(await held(through('198.51.100.7')), 6);
  t.equal(await held(through('198.51.100.7')), 0, 'the same shopper');
  t.equal(await held(through('198.51.100.8')), 6, 'another shopper of the same server');
  t.match(await orders(await shopperWith(store, [mug, 5]), through('198.51.100.8'), byCard), refused);
  t.equal(await held(from('198.51.100.8')), 0, 'the shopper itself, past the server');
  for (let shopper = 0; shopper < 2; shopper++) {
    t.equal(await held(through('198.51.100.7', 'wrong')), 6, 'a server that names no shopper is not one client');
  }
});

t.test('members have no limit', async (t) => {
  const { store, mug } = await storeWith(t);
  const at = from();
  for (let member = 0; member < 2; member++) {
    const shopper = await createMember(store);
    await shopper.post('/cart/items', { variantId: mug.variantId, quantity: 6 });
    await startsPayment(shopper, at);
  }
  t.equal(await reserved(store), 12);
  t.equal(await rowsOf(store), 0);
});

t.test('a guest reserves no more than the limit', async (t) => {
  const { store, mug } = await storeWith(t);
  for (const quantity of [11, 10]) {
    t.equal((await startsPayment(await shopperWith(store, [mug, quantity]))).status, 201);
    t.equal(await reserved(store), quantity > 10 ? 0 : 10, 'from the start of a payment');
  }
  const byHand = await shopperWith(store, [mug, 5]);
  t.equal((await byHand.post('/cart/payment-sessions', { paymentMethod: 'bank_transfer' })).status, 201);
  t.equal(await reserved(store), 10, 'not for a payment by hand');
  const many = await shopperWith(store, [mug, 11]);
  t.match(await many.post('/checkout/reservation'), { status: 409, body: { code: 'unpaid_units_limit', limit: 10 } });
  t.equal((await (await shopperWith(store, [mug, 10])).post('/checkout/reservation')).status, 200);
  t.equal(await reserved(store), 20);
  const member = await createMember(store);
  await member.post('/cart/items', { variantId: mug.variantId, quantity: 11 });
  t.equal((await member.post('/checkout/reservation')).status, 200);
  t.equal(await reserved(store), 31);
});

t.test('in a store without a method online, reservations have the limit, and orders none', async (t) => {
  const store = await box.openTenant();
  const mug = await createArticle(store, 'mug', 1250, 983);
  await store.staff.patch('/admin/checkout-settings', { reserveAtCheckout: true });
  t.equal((await store.staff.get('/admin/checkout-settings')).body.guestUnpaidUnits, 100, 'of a new store');
  t.match(await reserves(await shopperWith(store, [mug, 983])), { status: 409, body: { ...refused.body, limit: 100 } });
  await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: limit });
  const at = from();
  t.equal((await reserves(await shopperWith(store, [mug, 6]), at)).status, 200);
  t.match(await reserves(await shopperWith(store, [mug, 5]), at), refused, 'by client address');
  t.equal((await reserves(await shopperWith(store, [mug, 4]), at)).status, 200);
  const [email, session] = [anyEmail(), await shopperWith(store, [mug, 11])];
  t.match(await reserves(session), refused, 'by session');
  for (const status of [200, 409]) {
    const shopper = await shopperWith(store, [mug, 6]);
    await shopper.patch('/cart', { email });
    t.equal((await reserves(shopper)).status, status, 'by e-mail address');
  }
  t.equal(await reserved(store), 16);
  t.equal((await orders(session)).status, 201, 'an order has no limit');
  t.equal((await orders(await shopperWith(store, [mug, 500]), at)).status, 201);
  const member = await createMember(store);
  await member.post('/cart/items', { variantId: mug.variantId, quantity: 11 });
  t.equal((await reserves(member)).status, 200);

  await t.test('also for payments by hand', async (t) => {
    extendBox(t, box, [paymentAdapters.with(transfer)]);
    transfer.confirmed = 'pending';
    const before = (await reserved(store)) ?? 0;
    const byHand = { paymentMethod: 'bank_transfer' };
    for (const quantity of [11, 10, 1]) {
      const shopper = await shopperWith(store, [mug, quantity]);
      t.equal((await shopper.post('/cart/payment-sessions', byHand, from('198.51.100.30'))).status, 201);
      t.equal(await reserved(store), before + (quantity > 10 ? 0 : 10));
      if (quantity > 10) t.equal((await orders(shopper, from(), byHand)).status, 201);
    }
  });
});

t.test('a store that has disabled its methods online refuses reservations beyond the limit too', async (t) => {
  const { store, mug } = await storeWith(t);
  const { items } = (await store.staff.get('/admin/payment-methods')).body;
  for (const { id, provider } of items) {
    if (provider === 'test') await store.staff.patch(`/admin/payment-methods/${id}`, { enabled: false });
  }
  t.match(await reserves(await shopperWith(store, [mug, 11])), refused);
  t.equal(await reserved(store), 0);
});

/** Requests at once, of stock that no other locks. */
async function racing(store: TestTenant, articles: readonly Article[], start: (shopper: Caller) => Promise<unknown>) {
  const shoppers = await Promise.all(articles.map((article) => shopperWith(store, [article, 6])));
  await Promise.all(shoppers.map(start));
}

t.test('of many sessions of a client at once, one reserves', async (t) => {
  const { store } = await storeWith(t);
  const articles = await Promise.all([1, 2, 3].map((each) => createArticle(store, `cup-${each}`, 900, 100_000)));
  let held = 0;
  for (let round = 0; round < raceRounds; round++) {
    const at = from();
    await racing(store, articles, (shopper) => startsPayment(shopper, at));
    held += 6;
    t.equal(await reserved(store), held);
  }
});

t.test('of an order and a reservation at once, one passes', async (t) => {
  const { store } = await storeWith(t);
  const [cup, pot] = [await createArticle(store, 'cup', 900, 100_000), await createArticle(store, 'pot', 900, 100_000)];
  for (let round = 0; round < raceRounds; round++) {
    const at = from();
    const before = (await reserved(store)) ?? 0;
    const [buyer, holder] = [await shopperWith(store, [cup, 6]), await shopperWith(store, [pot, 6])];
    const [placed] = await Promise.all([orders(buyer, at), startsPayment(holder, at)]);
    const isReserved = (await reserved(store)) !== before;
    t.equal(placed.status, isReserved ? 409 : 201);
  }
});
