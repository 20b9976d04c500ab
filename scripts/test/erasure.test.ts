/**
 * The rights of a person in a box with all packages: a member with data in all of them exports everything and erases
 * everything. A package that declares further personal data adds it to `createTraces`, or to `exempt` with the reason.
 */
import { createForSale } from '@carton/cart/testing';
import { createMember, logIn, password, register, tokenOf } from '@carton/member/testing';
import { startMailServer } from '@carton/notification/testing';
import { bodyOf, type Caller, createTestBox, eventsOf, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { personalDataOf } from '../../runtime/persons/rights.ts';

const server = await startMailServer();
const box = await createTestBox(t, { environment: server.environment });
t.teardown(() => server.stop());
const { staff } = box;

const lise = {
  email: 'Lise@physics.example',
  name: 'Lise Meitner',
  phone: '+43 1 5877 6655',
  taxNumber: 'Meitner 1878',
  address: { name: 'Lise Meitner', line1: '27 Kaiserstrasse', city: 'Vienna', postalCode: 'Meitner', country: 'AT' },
};
/** Words that only data about the person contains. */
const traces = ['meitner', 'physics.example', '5877 6655', 'kaiserstrasse', 'vienna', 'uranium'];
const grace = { email: 'grace@navy.example', name: 'Grace Hopper', address: 'Arlington' };

/** Declared columns in which the person's data cannot be found by a text, with the reason. */
const exempt: Record<string, string> = {
  'carts.session_hash': 'a hash',
  'guest_units.key_hash': 'a hash',
  'contact_messages.client_key': 'a hash',
  'guest_orders.client_key': 'a hash',
  'guest_reservations.key_hash': 'a hash',
  'member_tokens.session_hash': 'a hash',
  'notifications.client_key': 'a hash',
  'orders.session_hash': 'a hash',
  'cart_line_items.properties_key': 'a hash',
  'member_sessions.address': 'an IP address of the test',
  'order_events.actor_label': 'null for shoppers',
  'deletions.external_id': 'written by the erasure itself',
  'notifications.subject': 'the texts of the packages name nobody in it',
  'notifications.event': 'payloads name nobody',
  'notifications.message_id': 'an id',
  'orders.tax_number_check': 'the box of the test asks no service; vendor/vies/test/erasure.test.ts',
  'tax_number_checks.answer': 'the same',
  'notifications.error': 'the mail server of the test refuses nothing',
};

/** Columns that erasure leaves, because tax law requires them. */
const lawful = ['invoices.content'];

const { variantId: shirt } = await createForSale(box, 4990, { product: { title: 'Linen shirt' } });
const seller = { legalName: 'Store SAS', address: 'Berlin' };
await bodyOf(staff.patch('/admin/store', seller));
const discount = { kind: 'percent', percent: 10 };
await bodyOf(staff.post('/admin/promotions', { label: 'Offer', automatic: true, discount, maxUsesPerCustomer: 100 }));

/** The columns of text or JSON that contain a text, ignoring case; one entry for each column. */
async function columnsWith(text: string): Promise<string[]> {
  const columns = await box.owner.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'character varying', 'ARRAY')
      order by 1, 2`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await box.owner.query(
      `select 1 from "${table}" where strpos(lower("${column}"::text), lower($1)) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

async function allColumnsWithTraces(): Promise<string[]> {
  const found = new Set<string>();
  for (const trace of traces) for (const column of await columnsWith(trace)) found.add(column);
  return [...found].sort();
}

let orders = 0;

/**
 * Places an order, pays and refunds it, and then delivers or cancels it, with the person's data wherever staff and shoppers
 * write.
 */
async function order(
  shopper: Caller,
  customer: Record<string, unknown>,
  note: string,
  end: 'delivered' | 'canceled' = 'canceled',
): Promise<string> {
  await bodyOf(shopper.post('/cart/items', { variantId: shirt, quantity: 1, properties: { engraving: note } }));
  const attribution = { landingPage: `https://store.example/?for=${note.replaceAll(' ', '-')}` };
  const key = { headers: { 'idempotency-key': `order ${++orders}` } };
  const { id } = await bodyOf(shopper.post('/checkout', { customer, notes: note, attribution }, key));
  const amount = { amount: 1000, currency: 'EUR' };
  const payment = await bodyOf(
    staff.post(`/admin/orders/${id}/payments`, { method: 'bank_transfer', amount, note, metadata: { note } }, key),
  );
  const refund = { amount, reason: note, metadata: { note } };
  await bodyOf(staff.post(`/admin/payments/${payment.id}/refunds`, refund, key));
  await bodyOf(
    staff.patch(`/admin/orders/${id}`, { customer: { phone: `${customer.phone ?? ''}` || null }, metadata: { note } }),
  );
  await bodyOf(staff.post(`/admin/orders/${id}/notes`, { note }));
  await bodyOf(staff.post(`/admin/orders/${id}/invoices`, { note }, key));
  const parcel = { tracking: [{ carrier: 'DHL', number: note }], metadata: { note } };
  const { id: parcelId } = await bodyOf(staff.post(`/admin/orders/${id}/fulfillments`, parcel, key));
  if (end === 'canceled') await bodyOf(staff.post(`/admin/orders/${id}/cancel`, { reason: note }, key));
  else for (const step of ['ship', 'deliver']) await bodyOf(staff.post(`/admin/fulfillments/${parcelId}/${step}`));
  return id;
}

/** Creates data of the person in every package; returns the caller with the person's session. */
async function createTraces(): Promise<Caller> {
  const guest = box.shopper();
  await order(guest, lise, 'Uranium for Lise Meitner', 'delivered');
  const message = {
    name: lise.name,
    email: lise.email,
    subject: 'Uranium',
    message: 'Lise Meitner asks',
    secondsOpen: 9,
  };
  await bodyOf(box.visitor().post('/contact', message));
  const abandoned = box.shopper();
  await bodyOf(abandoned.post('/cart/items', { variantId: shirt, quantity: 1 }));
  await bodyOf(abandoned.patch('/cart', { email: lise.email, note: 'Uranium' }));
  const { address: _, taxNumber: __, ...account } = lise;
  await register(box, { ...account, email: 'lise@former.example', password, acceptsMarketing: true });
  const owner = box.shopper();
  await bodyOf(logIn(owner, { email: 'lise@former.example', password }));
  await bodyOf(owner.post('/member/email', { email: lise.email, password }));
  const token = await tokenOf(box, lise.email, 'member.email_change_requested');
  await bodyOf(owner.post('/member/email/verify', { token }));
  // Verifying has made the first order the member's; this one stays a guest's.
  await order(box.shopper(), lise, 'Uranium without logging in');
  const shopper = box.shopper();
  shopper.headers['user-agent'] = 'Meitner/1.0';
  await bodyOf(shopper.post('/cart/items', { variantId: shirt, quantity: 1, properties: { engraving: 'Meitner' } }));
  await bodyOf(shopper.patch('/cart', { email: lise.email, note: 'Uranium' }));
  await bodyOf(shopper.put('/cart/shipping-address', { ...lise.address, phone: lise.phone }));
  await bodyOf(logIn(shopper, { email: lise.email, password }));
  const { id } = await bodyOf(shopper.get('/member'));
  await order(shopper, lise, 'Uranium again');
  await bodyOf(shopper.post('/cart/items', { variantId: shirt, quantity: 1, properties: { engraving: 'Meitner' } }));
  await bodyOf(shopper.patch('/cart', { email: lise.email, note: 'Uranium', taxNumber: lise.taxNumber }));
  await bodyOf(
    shopper.put('/cart/shipping-address', {
      ...lise.address,
      phone: lise.phone,
      company: 'Uranium',
      line2: 'Meitner',
      province: 'Vienna',
    }),
  );
  const full = {
    ...lise.address,
    phone: lise.phone,
    company: 'Meitner & Co',
    line2: 'Vienna',
    province: 'Vienna',
    postalCode: 'Vienna',
  };
  const key = { headers: { 'idempotency-key': 'address' } };
  await bodyOf(shopper.post('/member/addresses', full, key));
  const removed = await bodyOf(staff.post(`/admin/members/${id}/addresses`, full, key));
  const path = `/admin/members/${id}/addresses/${removed.id}`;
  await bodyOf(staff.patch(path, { city: 'Vienna, first district' }));
  await bodyOf(shopper.delete(`/member/addresses/${removed.id}`));
  await bodyOf(
    staff.patch(`/admin/members/${id}`, {
      metadata: { note: 'Uranium' },
      externalId: 'meitner',
      name: 'L. Meitner',
      taxExempt: 'Certificate of Meitner',
      acceptsMarketing: false,
      marketingSource: 'Meitner called',
    }),
  );
  await bodyOf(shopper.patch('/member', { name: lise.name, taxNumber: lise.taxNumber }));
  await bodyOf(shopper.post('/member/email', { email: 'new@physics.example', password }));
  await bodyOf(box.visitor().post('/member/password/forgot', { email: lise.email }));
  await bodyOf(box.visitor().post('/orders/lookup', { number: 'Uranium', email: lise.email }));
  await bodyOf(box.visitor().post('/member/register', { ...account, password }));
  return shopper;
}

const other = await createMember(box, { email: grace.email, name: grace.name });
const othersOrder = await order(other, grace, 'Compilers');
const before = (await other.get(`/member/orders/${othersOrder}`)).body;
const shopper = await createTraces();
const { id } = (await shopper.get('/member')).body;
await untilDelivered(box);

t.test('every declared column has data of the person', async (t) => {
  const declared = personalDataOf(box.box.database).flatMap(({ keeps }) =>
    keeps.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)),
  );
  const found = new Set(await allColumnsWithTraces());
  t.strictSame(
    declared.filter((column) => !found.has(column) && !(column in exempt)),
    [],
    'createTraces creates data in them',
  );
});

t.test('the person exports the data of all packages, and staff the same', async (t) => {
  const { status, body } = await shopper.get('/member/data-export');
  t.equal(status, 200);
  // Stored responses are copies of what other sections contain; in this box no order is limited as one of a guest, and answers
  // about tax numbers are found by hashes only.
  const sections = personalDataOf(box.box.database).map(({ name }) => name);
  t.strictSame(
    Object.keys(body),
    sections.filter((name) => !['kept-answers', 'unpaid-orders', 'tax_numbers'].includes(name)),
  );
  const text = JSON.stringify(body).toLowerCase();
  for (const trace of traces) t.ok(text.includes(trace), trace);
  t.notMatch(text, /grace|arlington|scrypt|token_?hash/);
  t.equal(body.orders.data.length, 3, 'the orders placed as a guest, before and after verifying, and as a member');
  t.strictSame((await staff.get(`/admin/members/${id}/data-export`)).body, body);
  t.equal((await other.get('/member/data-export')).body.orders.data.length, 1);
});

t.test('the person is erased everywhere, with the password only; records and other persons stay', async (t) => {
  t.match(await shopper.post('/member/erase', { password: 'a wrong password' }), { status: 403 });
  t.not((await allColumnsWithTraces()).length, 0);
  t.equal((await shopper.post('/member/erase', { password })).status, 204);
  t.strictSame(await allColumnsWithTraces(), lawful);
  for (const table of ['member_tokens', 'member_sessions', 'member_addresses', 'member_words']) {
    const left = await box.db.query(`select 1 from ${table} where tenant_id = $1 and member_id = $2`, [id]);
    t.equal(left.length, 0, table);
  }
  t.equal((await shopper.get('/member')).status, 401);
  t.match(await staff.get(`/admin/members/${id}`), { status: 404 });
  const orders = (await staff.get(`/admin/orders?memberId=${id}`)).body.items;
  const statuses = orders.map(({ status, fulfillmentStatus }: Record<string, string>) => [status, fulfillmentStatus]);
  const [canceled, delivered] = [
    ['canceled', 'unfulfilled'],
    ['placed', 'fulfilled'],
  ];
  t.strictSame(statuses, [canceled, delivered], 'the orders stay');
  for (const { customer, items } of orders) {
    t.match(customer, { name: null, address: { country: 'AT' } });
    t.ok(items.length > 0);
  }
  t.match((await other.get('/member')).body, { email: grace.email, name: grace.name });
  t.strictSame((await other.get(`/member/orders/${othersOrder}`)).body, before);
});

t.test('an erasure may be repeated, and the address may register again', async (t) => {
  t.equal((await staff.post(`/admin/members/${id}/erase`)).status, 204);
  t.equal((await eventsOf(box, { resourceId: id, type: 'member.erased' })).length, 1);
  await box.db.query('delete from auth_attempts where tenant_id = $1');
  await register(box, { email: lise.email, password });
  const again = box.shopper();
  t.equal((await logIn(again, { email: lise.email, password })).status, 200);
  t.strictSame((await again.get('/member/orders')).body.items, [], 'without the orders of before');
  await untilDelivered(box);
  t.equal((await staff.post(`/admin/members/${(await again.get('/member')).body.id}/erase`)).status, 204);
  t.strictSame(await columnsWith('physics.example'), lawful);
});

t.test('nothing is erased while an order is in progress', async (t) => {
  const member = await createMember(box);
  await bodyOf(member.post('/cart/items', { variantId: shirt, quantity: 1 }));
  const placed = await bodyOf(member.post('/checkout', { customer: { email: member.email, name: 'Emmy Noether' } }));
  for (const refused of [
    await member.post('/member/erase', { password }),
    await staff.post(`/admin/members/${member.id}/erase`),
  ]) {
    t.match(refused, { status: 409, body: { code: 'erasure_hindered' } });
    t.match(refused.body.detail, placed.number);
  }
  t.equal((await member.get('/member')).status, 200, 'the account stays too');
  t.match((await staff.get(`/admin/orders/${placed.id}`)).body, { customer: { name: 'Emmy Noether' } });
});

t.test('a deleted member is exported and erased too; an unverified address gives no rights', async (t) => {
  const member = await createMember(box, { email: 'emmy@algebra.example', name: 'Emmy' });
  await staff.delete(`/admin/members/${member.id}`);
  t.match((await staff.get(`/admin/members/${member.id}/data-export`)).body, { member: { data: { name: 'Emmy' } } });
  t.equal((await staff.post(`/admin/members/${member.id}/erase`)).status, 204);
  t.strictSame(await columnsWith('algebra.example'), []);
  const guest = box.shopper();
  await bodyOf(guest.post('/cart/items', { variantId: shirt, quantity: 1 }));
  await bodyOf(guest.post('/checkout', { customer: { email: 'sofia@algebra.example' } }));
  const created = await bodyOf(staff.post('/admin/members', { email: 'sofia@algebra.example' }));
  const exported = (await staff.get(`/admin/members/${created.id}/data-export`)).body;
  t.notOk('orders' in exported, 'the address may be that of another person');
  t.equal((await staff.post(`/admin/members/${created.id}/erase`)).status, 204);
  t.ok((await columnsWith('sofia@algebra.example')).includes('orders.email'));
  t.equal((await staff.get(`/admin/members/${'0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'}/data-export`)).status, 404);
  t.equal((await staff.post(`/admin/members/${'0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'}/erase`)).status, 404);
});
