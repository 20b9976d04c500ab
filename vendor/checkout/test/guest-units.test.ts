/**
 * Guests hold no more units in unpaid orders than the store allows: by session, by e-mail address and by client address.
 * What is paid, canceled or expired holds none; members, and orders that are paid when they are placed, have no limit.
 */
import { shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { cancelOverdue } from '@carton/order';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { erasePerson } from '@carton/runtime';
import {
  type Caller,
  createTestBox,
  exactly,
  extendBox,
  raceRounds,
  sessionHashOf,
  statementsOf,
  type TestTenant,
} from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { forgetEndedOrders } from '../guest-units.ts';
import { personalGuestUnits } from '../persons.ts';
import { createArticle, snapshot } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic', trustProxy: 'loopback', idleJobs: true });
const card = new TestProvider();
const transfer = Object.assign(new TestProvider('transfer', ['bank_transfer']), { byHand: true });
const pays = { amount: { amount: 0, currency: 'EUR' }, method: 'cash' };

let guests = 0;
/** A guest of her own session, e-mail address and, unless one is given, client address. */
const guestOf = (email = `guest-${++guests}@example.com`, address = `203.0.${++guests >> 8}.${guests & 255}`) => ({
  email,
  headers: { 'x-forwarded-for': address },
});
type Guest = ReturnType<typeof guestOf>;

async function storeWith(t: Test, limit: number | null = 10, stock = 983) {
  extendBox(t, box, [paymentAdapters.with(card), paymentAdapters.with(transfer)]);
  card.confirmed = 'authorized';
  transfer.confirmed = 'pending';
  const store = await box.openTenant();
  await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: limit });
  return { store, mug: await createArticle(store, 'mug', 1250, stock) };
}

type Article = Awaited<ReturnType<typeof createArticle>>;
const put = (shopper: Caller, { variantId }: Article, quantity: number) =>
  shopper.post('/cart/items', { variantId, quantity });
const orderAs = (shopper: Caller, { email, headers }: Guest, more: object = {}) =>
  shopper.post('/checkout', { customer: { email }, ...more }, { headers });
async function order(store: TestTenant, mug: Article, quantity: number, guest = guestOf(), more: object = {}) {
  return orderAs(await shopperWith(store, [mug, quantity]), guest, more);
}
const detailOf = (limit: number) =>
  `A guest may have ${limit} units in unpaid orders. Pay the open orders first, complete the payment before ordering, or order less.`;
const rowsOf = async (store: TestTenant) =>
  (await store.db.query('select units from guest_units where tenant_id = $1')).length;

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

t.test('new stores have a limit where orders can be paid online; others have none', async (t) => {
  const limitOf = async (store: TestTenant) =>
    (await store.staff.get('/admin/checkout-settings')).body.guestUnpaidUnits;
  const store = await box.openTenant();
  const mug = await createArticle(store, 'mug', 1250, 983);
  t.equal(await limitOf(store), null, 'with the default adapter');
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

t.test('the rows tell no address, and are deleted with the end of the order', async (t) => {
  const { store, mug } = await storeWith(t);
  const shopper = await shopperWith(store, [mug, 6]);
  const { body } = await orderAs(shopper, guestOf('ada@example.com', '198.51.100.7'));
  const rows = await store.db.query<{ keyHash: string; units: number }>(
    'select key_hash, units from guest_units where tenant_id = $1',
  );
  t.equal(rows.length, 3);
  for (const { keyHash, units } of rows) {
    t.match(keyHash, /^[0-9a-f]{64}$/);
    t.notSame(keyHash, sessionHashOf(shopper));
    t.equal(units, 6);
  }
  const other = await storeWith(t);
  await order(other.store, other.mug, 6, guestOf('ada@example.com', '198.51.100.7'));
  const same = await other.store.db.query('select 1 from guest_units where tenant_id = $1 and key_hash = any($2)', [
    rows.map(({ keyHash }) => keyHash),
  ]);
  t.equal(same.length, 0, 'each store has a secret of its own');
  await forgetEndedOrders(store.db);
  t.equal(await rowsOf(store), 3);
  t.equal((await store.staff.post(`/admin/orders/${body.id}/cancel`)).status, 200);
  await forgetEndedOrders(store.db);
  t.equal(await rowsOf(store), 0);
});

t.test('the rows of a person are exported and erased', async (t) => {
  const { store, mug } = await storeWith(t);
  const { body } = await order(store, mug, 6, guestOf('ada@example.com'));
  await order(store, mug, 6, guestOf('grace@example.com'));
  await store.staff.post(`/admin/orders/${body.id}/cancel`);
  t.equal(await rowsOf(store), 6);
  const subject = { memberId: null, emails: [], sessions: [], records: { order: [body.id] } };
  t.strictSame(await personalGuestUnits.exportData(store.db, subject), [{ orderId: body.id, units: 6 }]);
  await erasePerson(store.db, { memberId: null, emails: ['ada@example.com'] });
  t.equal(await rowsOf(store), 3);
});

t.test('an order that is paid, canceled, expired or shipped holds nothing', async (t) => {
  const { store, mug } = await storeWith(t);
  const shopper = await shopperWith(store);
  const guest = guestOf();
  const held = async () => {
    await put(shopper, mug, 10);
    const placed = await orderAs(shopper, guest);
    t.equal(placed.status, 201);
    await put(shopper, mug, 1);
    t.equal((await orderAs(shopper, guest)).status, 409);
    await shopper.delete(`/cart/items/${(await shopper.get('/cart')).body.items[0].id}`);
    return placed.body.id as string;
  };
  const part = { ...pays, amount: { amount: 1, currency: 'EUR' } };
  for (const end of [
    (id: string) => store.staff.post(`/admin/orders/${id}/payments`, part),
    (id: string) => store.staff.post(`/admin/orders/${id}/cancel`),
    async (id: string) => {
      const { body } = await store.staff.post(`/admin/orders/${id}/fulfillments`);
      return store.staff.post(`/admin/fulfillments/${body.id}/ship`);
    },
  ]) {
    t.ok((await end(await held())).status < 300);
  }
  const id = await held();
  await store.db.query("update orders set pay_by = now() - interval '1 second' where tenant_id = $1 and id = $2", [id]);
  await cancelOverdue(store.db);
  await held();
});

t.test('pending orders count until they are authorized; what is authorized at once does not', async (t) => {
  const { store, mug } = await storeWith(t);
  const guest = guestOf();
  const byCard = { paymentMethod: 'card' };
  t.match(await order(store, mug, 500, guest, byCard), { status: 201, body: { paymentStatus: 'paid' } });
  card.confirmed = 'pending';
  const pending = await order(store, mug, 10, guest, byCard);
  t.match(pending, { status: 201, body: { status: 'pending' } });
  const late = await shopperWith(store, [mug, 11]);
  t.match(await orderAs(late, guest, byCard), { status: 409, body: { code: 'unpaid_units_limit' } });
  card.confirmed = 'authorized';
  t.equal((await orderAs(late, guest, byCard)).status, 201, 'the payment was completed before');
  t.equal((await order(store, mug, 1, guest)).status, 409);
  const { id } = (await store.staff.get(`/admin/payments?orderId=${pending.body.id}`)).body.items[0];
  const state = { status: 'authorized', captured: 0, refunded: 0 } as const;
  Object.assign(card.payments.get(id) as object, state);
  await card.send(store, { id: 'authorized', payment: { id, state } });
  t.equal((await order(store, mug, 1, guest)).status, 201);
});

t.test('orders by hand count, and a preview with their method says so', async (t) => {
  const { store, mug } = await storeWith(t);
  const guest = guestOf();
  const byHand = { paymentMethod: 'bank_transfer' };
  t.equal((await order(store, mug, 10, guest, byHand)).status, 201);
  const shopper = await shopperWith(store, [mug, 11]);
  const preview = async (query = '') => (await shopper.get(`/checkout${query}`, { headers: guest.headers })).body;
  t.match(await preview('?paymentMethod=bank_transfer'), {
    ready: false,
    requirements: exactly([{ code: 'unpaid_units_limit', detail: detailOf(10), pointer: null }]),
  });
  t.equal((await preview('?paymentMethod=card')).ready, true);
  t.equal((await preview()).ready, true);
  t.equal((await orderAs(shopper, guest, byHand)).status, 409);
  const other = await shopperWith(store, [mug, 1]);
  const { body } = await other.get('/checkout?paymentMethod=bank_transfer', { headers: guest.headers });
  t.match(body.requirements, exactly([{ code: 'unpaid_units_limit' }]), 'by the client address');
});

t.test('members, staff and what has no stock have no limit', async (t) => {
  const { store, mug } = await storeWith(t);
  const member = await createMember(store);
  await put(member, mug, 11);
  t.equal((await orderAs(member, guestOf())).status, 201);
  t.equal(await rowsOf(store), 0);
  await store.staff.patch(`/admin/stock-items/${mug.stockItemId}`, { tracked: false });
  t.equal((await order(store, mug, 500)).status, 201);
  t.equal(await rowsOf(store), 0);
});

t.test('orders with a discount count as one unit at least, since they hold uses of its promotion', async (t) => {
  const { store, mug } = await storeWith(t, 2);
  await store.staff.patch(`/admin/stock-items/${mug.stockItemId}`, { tracked: false });
  const discount = { kind: 'percent', percent: 10 };
  const promotion = { label: 'First orders', automatic: true, discount, maxUses: 50 };
  t.equal((await store.staff.post('/admin/promotions', promotion)).status, 201);
  const address = '198.51.100.20';
  const fromThere = () => guestOf(undefined, address);
  const [first, second, third] = [
    await order(store, mug, 1, fromThere()),
    await order(store, mug, 500, fromThere()),
    await order(store, mug, 1, fromThere()),
  ];
  t.strictSame([first.status, second.status], [201, 201]);
  t.match(third, { status: 409, body: { code: 'unpaid_units_limit', limit: 2 } });
  const shopper = await shopperWith(store, [mug, 1]);
  const { body } = await shopper.get('/checkout?paymentMethod=bank_transfer', { headers: fromThere().headers });
  t.match(body.requirements, exactly([{ code: 'unpaid_units_limit' }]));
  t.equal((await order(store, mug, 1)).status, 201, 'another client');
  await store.staff.post(`/admin/orders/${first.body.id}/cancel`);
  t.equal((await order(store, mug, 1, fromThere())).status, 201, 'a canceled order has returned its use');
});

t.test('a guest reserves no more than the limit', async (t) => {
  const { store, mug } = await storeWith(t);
  await store.staff.patch('/admin/checkout-settings', { reserveAtCheckout: true });
  const reserved = async () =>
    (await store.db.query<{ sum: number }>('select sum(reserved) from stock_levels where tenant_id = $1'))[0]?.sum;
  for (const quantity of [11, 10]) {
    const paying = await shopperWith(store, [mug, quantity]);
    t.equal((await paying.post('/cart/payment-sessions', { paymentMethod: 'card' })).status, 201);
    t.equal(await reserved(), quantity > 10 ? 0 : 10, 'from the start of a payment');
  }
  const byHand = await shopperWith(store, [mug, 5]);
  t.equal((await byHand.post('/cart/payment-sessions', { paymentMethod: 'bank_transfer' })).status, 201);
  t.equal(await reserved(), 10, 'not for a payment by hand');
  const many = await shopperWith(store, [mug, 11]);
  t.match(await many.post('/checkout/reservation'), { status: 409, body: { code: 'unpaid_units_limit', limit: 10 } });
  t.equal((await (await shopperWith(store, [mug, 10])).post('/checkout/reservation')).status, 200);
  t.equal(await reserved(), 20);
  const member = await createMember(store);
  await put(member, mug, 11);
  t.equal((await member.post('/checkout/reservation')).status, 200);
  t.equal(await reserved(), 31);
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
