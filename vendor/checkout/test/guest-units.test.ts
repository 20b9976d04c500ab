/**
 * Guests hold no more units in unpaid orders than the store allows: by session, by e-mail address and by client address.
 */
import { shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { extendBox, raceRounds, statementsOf, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { detailOf, type Guest, guestOf, openGuestBox, order, orderAs, put, rowsOf } from './guests.ts';
import { createArticle, snapshot } from './helpers.ts';

const { box, transfer, storeWith } = await openGuestBox(t);

t.test('one request holds no more than the limit, and a refused one stores nothing', async (t) => {
  const { store, mug } = await storeWith(t, 100);
  const shopper = await shopperWith(store, [mug, 983]);
  const before = await snapshot(store);
  const { status, body } = await orderAs(shopper, guestOf());
  t.strictSame([status, body.code, body.limit, body.detail], [409, 'unpaid_units_limit', 100, detailOf(100)]);
  t.strictSame(await snapshot(store), before);
  t.equal(await rowsOf(store), 0);
  t.equal((await order(store, mug, 100)).status, 201);
  t.equal((await order(store, mug, 101)).status, 409);
});

t.test('new stores have a limit, of orders where they can be paid online; others have none', async (t) => {
  const limitOf = async (store: TestTenant) =>
    (await store.staff.get('/admin/checkout-settings')).body.guestUnpaidUnits;
  const store = await box.openTenant();
  const mug = await createArticle(store, 'mug', 1250, 983);
  t.equal(await limitOf(store), 100, 'with the default adapter, for reservations');
  t.equal((await order(store, mug, 101)).status, 201);
  await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: 5 });
  t.equal((await order(store, mug, 101)).status, 201, 'not even if it is set');
  await t.test('with methods by hand only', async (t) => {
    extendBox(t, box, [paymentAdapters.with(transfer)]);
    t.equal((await order(store, mug, 101)).status, 201);
  });
  const { store: online } = await storeWith(t);
  await online.db.query("update stores set settings = '{}' where tenant_id = $1");
  await online.staff.patch('/admin/store', { name: 'New' });
  t.equal(await limitOf(online), 100);
  await online.db.query('update stores set default_version = 1 where tenant_id = $1');
  await online.staff.patch('/admin/store', { name: 'Older' });
  t.equal(await limitOf(online), null, 'a store of before has none');
  for (const wrong of [0, 1_000_001, 1.5]) {
    t.equal((await online.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: wrong })).status, 400);
  }
});

t.test('without a limit, and without a method online in the store, nothing is refused', async (t) => {
  const { store, mug } = await storeWith(t, null);
  t.equal((await order(store, mug, 500)).status, 201);
  t.equal(await rowsOf(store), 0);
  await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: 10 });
  const { items } = (await store.staff.get('/admin/payment-methods')).body;
  for (const { id, provider } of items) {
    if (provider === 'test') await store.staff.patch(`/admin/payment-methods/${id}`, { enabled: false });
  }
  t.equal((await order(store, mug, 400)).status, 201, 'its methods are all by hand');
});

t.test('by session', async (t) => {
  const { store, mug } = await storeWith(t);
  const shopper = await shopperWith(store, [mug, 6]);
  t.equal((await orderAs(shopper, guestOf())).status, 201);
  await put(shopper, mug, 5);
  t.match(await orderAs(shopper, guestOf()), { status: 409, body: { code: 'unpaid_units_limit' } });
  await shopper.patch(`/cart/items/${(await shopper.get('/cart')).body.items[0].id}`, { quantity: 4 });
  t.equal((await orderAs(shopper, guestOf())).status, 201);
});

t.test('by e-mail address over several sessions, whatever its case', async (t) => {
  const { store, mug } = await storeWith(t);
  t.equal((await order(store, mug, 6, guestOf('Ada@Example.com'))).status, 201);
  t.equal((await order(store, mug, 5, guestOf('ada@example.COM'))).status, 409);
  t.equal((await order(store, mug, 4, guestOf('ada@example.com'))).status, 201);
  t.equal((await order(store, mug, 5, guestOf('adam@example.com'))).status, 201);
});

t.test('by client address over several sessions and e-mail addresses', async (t) => {
  const { store, mug } = await storeWith(t);
  t.equal((await order(store, mug, 6, guestOf(undefined, '198.51.100.7'))).status, 201);
  t.equal((await order(store, mug, 5, guestOf(undefined, '198.51.100.7'))).status, 409);
  t.equal((await order(store, mug, 5, guestOf(undefined, '198.51.100.8'))).status, 201);
  t.equal((await order(store, mug, 10, guestOf(undefined, '2001:db8:1:2::1'))).status, 201);
  t.equal((await order(store, mug, 1, guestOf(undefined, '2001:db8:1:2:ffff::2'))).status, 409, 'a /64 is one client');
  t.equal((await order(store, mug, 1, guestOf(undefined, '2001:db8:1:3::1'))).status, 201);
});

t.test('not by the address of a server', async (t) => {
  const { store, mug } = await storeWith(t);
  for (const address of ['127.0.0.1', '10.1.2.3', '100.64.0.9', 'fd00::1', '::ffff:192.168.1.1']) {
    for (let times = 0; times < 2; times++) {
      t.equal((await order(store, mug, 6, guestOf(undefined, address))).status, 201, address);
    }
  }
  for (let times = 0; times < 2; times++) {
    const { status } = await (await shopperWith(store, [mug, 6])).post('/checkout', {
      customer: { email: guestOf().email },
    });
    t.equal(status, 201, 'a trusted proxy that names no client');
  }
});

t.test('one statement more for guests who do not pay at once, and three where stock is reserved', async (t) => {
  const { store, mug } = await storeWith(t);
  const countOf = async (more: object = {}) => {
    const shopper = await shopperWith(store, [mug, 1]);
    const guest = guestOf();
    const statements = await statementsOf(box.db, () => orderAs(shopper, guest, more));
    return statements.length;
  };
  await countOf();
  const limited = await countOf();
  const reserved = await countOf({ paymentMethod: 'card' });
  await store.staff.patch('/admin/checkout-settings', { reservationMinutes: 0 });
  const authorized = await countOf({ paymentMethod: 'card' });
  await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: null });
  await countOf();
  t.equal(limited, (await countOf()) + 1);
  t.equal(authorized, await countOf({ paymentMethod: 'card' }));
  await store.staff.patch('/admin/checkout-settings', { reservationMinutes: 15 });
  t.equal(reserved, (await countOf({ paymentMethod: 'card' })) + 3);
});

t.test('of two requests at once by the same guest, one passes', async (t) => {
  const { store, mug } = await storeWith(t, 10, 100_000);
  // Of other stock, which another request locks.
  const cup = await createArticle(store, 'cup', 900, 100_000);
  const keys = [
    (guest: Guest) => [guestOf(guest.email), guestOf(guest.email)],
    (guest: Guest) => [guest.headers, guest.headers].map((headers) => ({ ...guestOf(), headers })),
  ];
  for (let round = 0; round < raceRounds; round++) {
    const [one, two] = (keys[round % 2] as (typeof keys)[number])(guestOf()) as [Guest, Guest];
    const shoppers = [await shopperWith(store, [mug, 6]), await shopperWith(store, [cup, 6])] as const;
    const answers = await Promise.all([orderAs(shoppers[0], one), orderAs(shoppers[1], two)]);
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
  }
});
