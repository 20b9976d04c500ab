/**
 * Addresses of orders after erasure: what remains of every form can be read, and so can orders of earlier releases, of
 * which erasure left an empty object.
 */
import type { OrderDraft } from '@carton/order';
import type { Subject } from '@carton/runtime';
import t from 'tap';
import { personalOrders } from '../persons.ts';
import { openBox, place } from '../testing/index.ts';
import { insertOrderEvent } from '../timeline/store.ts';

const box = await openBox(t);

type Address = OrderDraft['customer']['address'];

/** The address of an order before and after erasure. */
const cases: [Address, Address][] = [
  ['Ada\nA 1\nBerlin', null],
  ['{"country": "DE"}', null],
  [null, null],
  [undefined, null],
  [{ name: 'Ada', line1: 'A 1' }, null],
  [{ name: 'Ada', country: null }, null],
  [{ name: 'Ada', country: null, province: null }, null],
  [{ name: 'Ada', country: 'DE' }, { country: 'DE' }],
  [{ name: 'Ada', country: 'DE', province: null }, { country: 'DE' }],
  [{ name: 'Ada', province: 'Berlin' }, null],
  [{ name: 'Ada', country: '12 Rue Pasteur' }, null],
  [{ name: 'Ada', country: 'de', province: 'Berlin' }, null],
  [
    { name: 'Ada', country: 'DE', province: 'Berlin' },
    { country: 'DE', province: 'Berlin' },
  ],
];

/** The addresses of an order, from the list and from its own page. */
async function addressesOf(id: string) {
  const own = await box.staff.get(`/admin/orders/${id}`);
  const list = await box.staff.get('/admin/orders?limit=100');
  t.strictSame([own.status, list.status], [200, 200]);
  const listed = list.body.items.find((order: { id: string }) => order.id === id);
  t.strictSame(listed.customer, own.body.customer);
  return { address: own.body.customer.address, billing: own.body.customer.billing };
}

t.test('erasure leaves country and province, and nothing of an address without the code of a country', async (t) => {
  for (const [address, left] of cases) {
    const subject = { email: 'ada@example.com', name: 'Ada' };
    const shipped = await place(box, { customer: { ...subject, address } });
    const billed = await place(box, { customer: { ...subject, address: 'Elsewhere', billing: address } });
    const erased: Subject = {
      memberId: null,
      emails: ['ada@example.com'],
      sessions: [],
      records: { order: [shipped.id, billed.id] },
    };
    await box.db.transaction((tx) => personalOrders.erase(tx, erased));
    t.strictSame(await addressesOf(shipped.id), { address: left, billing: null }, JSON.stringify(address));
    t.strictSame(await addressesOf(billed.id), { address: null, billing: left }, `billing ${JSON.stringify(address)}`);
  }
});

t.test('the migration removes empty addresses, and no others', async (t) => {
  const other = await box.openTenant();
  const customer = { email: 'ada@example.com', address: 'A 1', billing: { country: 'DE' } };
  const harmed = await place(box, { customer });
  const elsewhere = await place(other, { customer });
  const whole = await place(box, { customer });
  await box.owner.query(
    `update order_addresses set address = '{}' where order_id = any($1) and (order_id = $2 or type = 'shipping')`,
    [[harmed.id, elsewhere.id], harmed.id],
  );
  t.equal((await box.staff.get('/admin/orders')).status, 500, 'an empty address cannot be read');
  const migration = new URL('../migrations/20261125220000_order_remove_empty_addresses.js', import.meta.url);
  const { up } = await import(migration.href);
  for (let run = 1; run <= 2; run++) {
    await up({ raw: (sql: string) => box.owner.query(sql) });
    t.strictSame(await addressesOf(harmed.id), { address: null, billing: null });
    t.strictSame(await addressesOf(whole.id), { address: customer.address, billing: customer.billing });
    t.match((await other.staff.get(`/admin/orders/${elsewhere.id}`)).body.customer, { address: null });
    t.strictSame((await other.staff.get('/admin/orders')).body.items[0].customer.billing, { country: 'DE' });
  }
});

t.test(
  'the migration removes what is kept of addresses without the code of a country, of erased persons only',
  async (t) => {
    const address = { name: 'Ada', country: '12 Rue Pasteur', province: 'Berlin' };
    const erased = await place(box, { customer: { email: 'ada@example.com', address, billing: { country: 'DE' } } });
    const other = await place(box, { customer: { email: 'ada@example.com', address } });
    await box.owner.query(`update orders set email = 'erased@erased.invalid' where id = $1`, [erased.id]);
    const { up } = await import(new URL('../migrations/20261126010000_order_erase_places.js', import.meta.url).href);
    await up({ raw: (sql: string) => box.owner.query(sql) });
    t.strictSame(await addressesOf(erased.id), { address: null, billing: { country: 'DE' } });
    t.strictSame(await addressesOf(other.id), { address, billing: null });
  },
);

t.test(
  'messages of packages that are no longer mounted are erased, others that hold no personal data are not',
  async (t) => {
    const { id } = await place(box, { customer: { email: 'ada@example.com' } });
    await box.owner.query(
      `update order_events set type = 'courier.sent', message = 'To Ada, A 1' where order_id = $1 and type = 'placed'`,
      [id],
    );
    await box.db.transaction((tx) => insertOrderEvent(tx, id, 'updated', 'Changed: phone'));
    const subject = { memberId: null, emails: ['ada@example.com'], sessions: [], records: { order: [id] } };
    await box.db.transaction((tx) => personalOrders.erase(tx, subject));
    const { items } = (await box.staff.get(`/admin/orders/${id}/timeline`)).body;
    const messages = items.map(({ type, message }: Record<string, string>) => [type, message]);
    t.strictSame(messages.sort(), [
      ['courier.sent', 'Erased'],
      ['updated', 'Changed: phone'],
    ]);
  },
);
