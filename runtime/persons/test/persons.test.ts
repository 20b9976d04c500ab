/**
 * Guests become members, and a person's data is exported and erased, in all packages of a box.
 */
import t from 'tap';
import { type Answer, createTestBox, exactly, type TestTenant } from '../../testing/index.ts';
import { writeClub } from './club-package.ts';

const box = await createTestBox(t, { ...(await writeClub(t)), database: 'empty' });
const shirt = await createProduct(box);

async function createProduct({ staff }: TestTenant): Promise<string> {
  const product = await staff.post('/admin/products', {
    title: 'Linen shirt',
    handle: 'linen-shirt',
    status: 'published',
    variants: [{ sku: 'SHIRT' }],
  });
  const [variant] = product.body.variants;
  await staff.put(`/admin/variants/${variant.id}/prices`, { prices: [{ currency: 'EUR', amount: 4990 }] });
  const { body } = await staff.get(`/admin/stock-items?variantId=${variant.id}`);
  await staff.post(`/admin/stock-items/${body.items[0].id}/adjustments`, { quantity: 100, reason: 'received' });
  return variant.id;
}

const ada = {
  email: 'Ada.Lovelace@analytical.example',
  name: 'Ada Lovelace',
  phone: '+33 4 72 11 22 33',
  address: {
    name: 'Ada Lovelace',
    line1: '12 Rue des Lilas',
    city: 'Lyon',
    postalCode: '69003',
    country: 'FR',
  },
};
const grace = { email: 'grace@navy.example', name: 'Grace Hopper', address: 'Arlington' };

const join = async ({ email, name }: { email: string; name: string }): Promise<string> =>
  (await box.staff.post('/admin/club-members', { email, name })).body.id;

/** A guest with a cart and a wish. */
async function createGuest(wish: string) {
  const shopper = box.shopper();
  await shopper.post('/cart/items', { variantId: shirt, quantity: 1 });
  await shopper.post('/club-wishes', { wish });
  return shopper;
}

async function order(
  customer: object,
  { headers = {}, ...rest }: { headers?: Record<string, string>; notes?: string; attribution?: object } = {},
): Promise<Answer> {
  const shopper = await createGuest('nothing');
  return shopper.post('/checkout', { customer, notes: 'Ring twice', ...rest }, { headers });
}

const ownersOf = (column: string) =>
  box.db.query<{ memberId: string | null }>(`select member_id from ${column} where tenant_id = $1`);

t.test('at log-in every package moves the data of the guest to the member, and the session is rotated', async (t) => {
  const memberId = await join(grace);
  const shopper = await createGuest('a compiler');
  const before = shopper.headers['x-session-id'];
  const { status } = await shopper.post('/club-log-ins', { memberId });
  t.equal(status, 204);
  t.not(shopper.headers['x-session-id'], before);
  t.match(
    await box.db.query('select wish from club_wishes where tenant_id = $1 and member_id = $2', [memberId]),
    exactly([{ wish: 'a compiler' }]),
  );
  const carts = await box.db.query(
    "select status from carts where tenant_id = $1 and member_id = $2 and status = 'active'",
    [memberId],
  );
  t.equal(carts.length, 1);
});

t.test('after a log-in that fails the guest still has cart and session', async (t) => {
  const memberId = await join(grace);
  const shopper = await createGuest('a debugger');
  const before = shopper.headers['x-session-id'];
  t.equal((await shopper.post('/club-log-ins', { memberId, fails: true })).status, 500);
  t.equal(shopper.headers['x-session-id'], before);
  t.equal((await shopper.get('/cart')).body.items.length, 1);
  t.notOk((await ownersOf('carts')).some((cart) => cart.memberId === memberId));
  t.notOk((await ownersOf('club_wishes')).some((wish) => wish.memberId === memberId));
});

t.test("a guest's orders, and no others, are assigned to the member who verifies the address", async (t) => {
  const [memberId, other] = [await join(ada), await join(grace)];
  const placed = await order({ ...ada, email: ada.email.toUpperCase() });
  const foreign = await order(grace);
  t.equal((await box.staff.post(`/admin/club-members/${memberId}/prove`, { email: ada.email })).status, 204);
  const owner = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body.memberId;
  t.equal(await owner(placed.body.id), memberId);
  t.equal(await owner(foreign.body.id), null);
  await box.staff.post(`/admin/club-members/${other}/prove`, { email: ada.email });
  t.equal(await owner(placed.body.id), memberId, 'an order has one owner, the first');
});

t.test("the export contains all of a person's data and nothing of others", async (t) => {
  const memberId = await join(ada);
  const placed = await order(ada);
  await order(grace);
  // Another member ordered with this address: the order belongs to that member.
  const others = await order(ada);
  await box.db.query('update orders set member_id = $2 where tenant_id = $1 and id = $3', [
    await join(grace),
    others.body.id,
  ]);
  const { status, body } = await box.staff.get(`/admin/club-members/${memberId}/data`);
  t.equal(status, 200);
  t.strictSame(Object.keys(body).sort(), ['carts', 'changes-by-staff', 'club', 'orders']);
  t.strictSame(body.club, {
    reasons: [
      { reason: 'To know who you are.', kept: 'until you leave' },
      { reason: 'To grant them.', kept: 'until they are granted' },
    ],
    data: { email: ada.email, name: ada.name, wishes: [] },
  });
  const exported = (id: string) => body.orders.data.find((order: { id: string }) => order.id === id);
  t.equal(exported(others.body.id), undefined);
  t.match(exported(placed.body.id), {
    customer: { email: ada.email, name: ada.name, phone: ada.phone, address: ada.address },
  });
  t.notMatch(JSON.stringify(body), /grace|Arlington/i);
});

t.test('nothing is erased while an order is in progress', async (t) => {
  const memberId = await join({ ...ada, email: 'waiting@analytical.example' });
  const placed = await order({ ...ada, email: 'waiting@analytical.example' });
  const before = await occurrencesOf('waiting@analytical.example');
  const refused = await box.staff.post(`/admin/club-members/${memberId}/erase`);
  t.match(refused, { status: 409, body: { code: 'erasure_hindered' } });
  t.match(refused.body.detail, placed.body.number);
  t.strictSame(await occurrencesOf('waiting@analytical.example'), before);
});

t.test("an erased person's data is in no column, while records and other persons stay", async (t) => {
  const lise = {
    email: 'Lise.Meitner@physics.example',
    name: 'Lise Meitner',
    phone: '+43 1 5877 6655',
    address: { name: 'Lise Meitner', line1: '27 Kaiserstrasse', city: 'Vienna', postalCode: '1070', country: 'AT' },
  };
  const traces = [
    'Meitner',
    'physics.example',
    '5877 6655',
    '5877 1122',
    'Kaiserstrasse',
    'Vienna',
    'nuclear',
    'uranium',
  ];
  const memberId = await join(lise);
  await box.staff.patch(`/admin/club-members/${memberId}`, { name: 'Elise Meitner' });
  const placed = await order(lise, {
    headers: { 'idempotency-key': 'her-order' },
    notes: 'For Lise Meitner',
    attribution: { landingPage: 'https://store.example/?for=uranium' },
  });
  const { id } = placed.body;
  await box.staff.patch(`/admin/orders/${id}`, {
    customer: { phone: '+43 1 5877 1122' },
    metadata: { for: 'Meitner' },
  });
  await box.staff.post(`/admin/orders/${id}/notes`, { note: 'Lise Meitner called' });
  const shopper = await createGuest('a nuclear reactor');
  await shopper.patch('/cart', { email: lise.email, note: 'Lise Meitner' });
  await shopper.put('/cart/shipping-address', { ...lise.address, phone: lise.phone });
  await shopper.post('/club-log-ins', { memberId });
  const others = await order(grace);
  await box.staff.post(`/admin/orders/${id}/cancel`, undefined, { headers: { 'idempotency-key': 'by-staff' } });
  const { items } = (await box.staff.get(`/admin/orders/${id}`)).body;
  for (const trace of traces) t.not((await occurrencesOf(trace)).length, 0, `${trace} is stored`);

  t.equal((await box.staff.post(`/admin/club-members/${memberId}/erase`)).status, 204);
  for (const trace of traces) t.strictSame(await occurrencesOf(trace), [], trace);
  const record = (await box.staff.get(`/admin/orders/${id}`)).body;
  t.strictSame(record.items, items, 'the items of the order stay');
  t.match(record, { number: placed.body.number, status: 'canceled', customer: { address: { country: 'AT' } } });
  t.match((await box.staff.get(`/admin/orders/${others.body.id}`)).body.customer, grace);
  const changes = (await box.staff.get(`/admin/audit-log?resourceId=${id}`)).body.items;
  t.ok(changes.length > 0, 'the entries of the audit log stay');
  t.equal((await box.staff.post(`/admin/club-members/${memberId}/erase`)).status, 204, 'it is idempotent');
});

/** The columns of text or JSON that contain a text, ignoring case; one entry for each row. */
async function occurrencesOf(text: string): Promise<string[]> {
  const columns = await box.owner.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'character varying', 'ARRAY')
      order by 1, 2`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await box.owner.query(
      `select 1 from "${table}" where strpos(lower("${column}"::text), lower($1)) > 0`,
      [text],
    );
    found.push(...rows.map(() => `${table}.${column}`));
  }
  return found;
}
