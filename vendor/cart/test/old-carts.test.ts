/**
 * Old carts of guests are deleted with what all packages store for them; others stay.
 */
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { deleteOldCarts, removeOldCarts } from '../guests/old-carts.ts';
import { oldCartsText } from '../guests/store.ts';
import { type ForSale, forSale, withOpenTransaction } from './helpers.ts';

const box = await createTestBox(t, { idleJobs: true });
const article = await forSale(box);

/** A cart of a guest with an item, an address and an e-mail address, last changed some days ago. */
async function cartOf(tenant: TestTenant, days: number, item: ForSale = article): Promise<string> {
  const shopper = await shopperWith(tenant, [item, 1]);
  await shopper.patch('/cart', { email: 'ada@example.com', country: 'FR' });
  const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };
  const { id } = (await shopper.put('/cart/shipping-address', address)).body;
  await age(tenant, id, days);
  return id;
}
const age = ({ db }: TestTenant, id: string, days: number) =>
  db.query("update carts set updated_at = now() - $3 * interval '1 day' where tenant_id = $1 and id = $2", [id, days]);

/** Stores a row of each other package for a cart; the session of its payment has this status. */
async function storeMore({ db }: TestTenant, cartId: string, session: 'open' | 'given_up'): Promise<void> {
  await db.insert('promotion_cart_codes', { cartId, codeKey: 'welcome', code: 'WELCOME' });
  await db.insert('cart_shipping_methods', { cartId, profile: '', optionId: newId() });
  await db.insert('checkout_attempts', { cartId, status: 'failed', code: 'cart_not_ready' });
  await db.insert('guest_reservations', { cartId, keyHash: 'ended' });
  const payment = { id: newId(), cartId, provider: 'simulator', method: 'card', captureMode: 'manual' };
  await db.insert('payment_sessions', { ...payment, currency: 'EUR', amount: 1000, status: session });
}

/** The tables with rows of a cart. */
async function tablesWith({ db }: TestTenant, cartId: string): Promise<string[]> {
  const counts = await Promise.all(
    tables.map((table) => db.query(`select 1 from ${table} where tenant_id = $1 and cart_id = $2 limit 1`, [cartId])),
  );
  const found = tables.filter((_, index) => counts[index]?.length === 1);
  const cart = await db.query('select id from carts where tenant_id = $1 and id = $2', [cartId]);
  return [...cart.map(() => 'carts'), ...found];
}
const tables = [
  'cart_addresses',
  'cart_countries',
  'cart_line_items',
  'cart_shipping_methods',
  'checkout_attempts',
  'guest_reservations',
  'orders',
].concat(...['payment_sessions', 'promotion_cart_codes']);
const ownTables = ['carts', 'cart_addresses', 'cart_countries', 'cart_line_items'];
const withMore = [
  ...ownTables,
  'cart_shipping_methods',
  'checkout_attempts',
  'guest_reservations',
  'payment_sessions',
  'promotion_cart_codes',
];

t.test('no other table stores rows by cart', async (t) => {
  const rows = await box.owner.query<{ tableName: string }>(
    `select table_name from information_schema.columns where column_name = 'cart_id' and table_schema = current_schema()
      order by table_name`,
  );
  t.strictSame(
    rows.map(({ tableName }) => tableName),
    tables,
  );
});

t.test('old carts are deleted with the rows of all packages', async (t) => {
  const other = await box.openTenant();
  const [old, recent, foreign] = [
    await cartOf(box, 90.1),
    await cartOf(box, 89.9),
    await cartOf(other, 100, await forSale(other)),
  ];
  await storeMore(box, old, 'given_up');
  await storeMore(box, recent, 'given_up');
  t.strictSame(await tablesWith(box, old), withMore);
  await deleteOldCarts.run(box.db);
  t.strictSame(await tablesWith(box, old), ['payment_sessions'], 'closed payments are records');
  t.strictSame(await tablesWith(box, recent), withMore);
  t.strictSame(await tablesWith(other, foreign), ownTables, 'of its own tenant only');
});

t.test('completed and merged carts are deleted; the order stays', async (t) => {
  const shopper = await shopperWith(box, [article, 1]);
  const { id: cartId } = (await shopper.get('/cart')).body;
  const order = (await shopper.post('/checkout', { customer: { email: 'ada@example.com' } })).body;
  const merged = await cartOf(box, 91);
  await box.db.query("update carts set status = 'merged' where tenant_id = $1 and id = $2", [merged]);
  await age(box, cartId, 91);
  await deleteOldCarts.run(box.db);
  t.strictSame(await tablesWith(box, cartId), ['orders']);
  t.strictSame(await tablesWith(box, merged), []);
  t.match(await shopper.get(`/checkout/${order.id}`), {
    status: 200,
    body: { customer: { email: 'ada@example.com' } },
  });
  t.match(await shopper.get('/cart'), { status: 200, body: { id: null } });
});

t.test('carts of members, with an open payment or with reserved stock stay', async (t) => {
  const [ofMember, paying, reserved, changing] = [
    await cartOf(box, 95),
    await cartOf(box, 94),
    await cartOf(box, 93),
    await cartOf(box, 92),
  ];
  await box.db.query('update carts set session_hash = null, member_id = $3 where tenant_id = $1 and id = $2', [
    ofMember,
    newId(),
  ]);
  await storeMore(box, paying, 'open');
  await box.db.query(
    `insert into stock_reservations (tenant_id, id, stock_item_id, location_id, quantity, reference_type, reference_id)
     select tenant_id, $2, stock_item_id, location_id, 1, 'cart', $3 from stock_levels where tenant_id = $1 limit 1`,
    [newId(), reserved],
  );
  const between = [await cartOf(box, 94.5), await cartOf(box, 93.5), await cartOf(box, 92.5), await cartOf(box, 91.5)];
  const change = await withOpenTransaction(box, (tx) =>
    tx.query('update carts set updated_at = now() where tenant_id = $1 and id = $2', [changing]),
  );
  // One by one, so that the kept ones fill whole batches.
  await removeOldCarts(box.db, 1);
  await change.finish();
  for (const id of between) t.strictSame(await tablesWith(box, id), []);
  for (const id of [ofMember, reserved, changing]) t.strictSame(await tablesWith(box, id), ownTables);
  t.strictSame(await tablesWith(box, paying), withMore);
  await box.db.query("update payment_sessions set status = 'given_up' where tenant_id = $1 and cart_id = $2", [paying]);
  await box.db.query('delete from stock_reservations where tenant_id = $1 and reference_id = $2', [reserved]);
  await deleteOldCarts.run(box.db);
  t.strictSame(await tablesWith(box, paying), ['payment_sessions']);
  t.strictSame(await tablesWith(box, reserved), []);
  t.strictSame(await tablesWith(box, changing), ownTables);
});

t.test('the oldest are found by an index, in its order', async (t) => {
  const plan = await box.db.transaction(async (tx) => {
    await tx.query("select set_config('enable_seqscan', 'off', true) where $1::uuid is not null");
    return tx.query(`explain ${oldCartsText}`, [90, '-infinity', newId(), 100]);
  });
  const text = plan.map((row) => Object.values(row)[0]).join('\n');
  t.match(text, /Index Scan using carts_changed/);
  t.match(text, /Index Cond: .*updated_at < .*ROW\(updated_at, id\) > ROW/);
  t.notMatch(text, /Sort/);
});

t.test('with CART_RETENTION_DAYS=0 carts are stored for ever', async (t) => {
  const forever = await createTestBox(t, {
    tier: 'basic',
    environment: { CART_RETENTION_DAYS: '0' },
    idleJobs: true,
  });
  const id = await cartOf(forever, 3000, await forSale(forever));
  await deleteOldCarts.run(forever.db);
  t.strictSame(await tablesWith(forever, id), ownTables);
});
