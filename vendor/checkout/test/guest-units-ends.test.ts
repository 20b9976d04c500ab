/**
 * Which orders of guests count as unpaid: what is paid, canceled or expired holds no units; members, and orders that are
 * paid when they are placed, have no limit.
 */

import { shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { cancelOverdue } from '@carton/order/testing';
import { erasePerson } from '@carton/runtime';
import { exactly, sessionHashOf } from '@carton/runtime/testing';
import t from 'tap';
import { personalGuestUnits } from '../guests/persons.ts';
import { forgetEndedOrders } from '../guests/service.ts';
import { detailOf, guestOf, openGuestBox, order, orderAs, put, rowsOf } from './guests.ts';

const { card, storeWith } = await openGuestBox(t);
const pays = { amount: { amount: 0, currency: 'EUR' }, method: 'cash' };

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
