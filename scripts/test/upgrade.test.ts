/**
 * Starts the database of an earlier release, with two tenants, with this one: nothing is lost, and work in progress
 * continues. The folder beside this test has the database as a dump of pg_dump, and what the tenants' staff and shoppers
 * know of it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  administerAt,
  type Caller,
  callerOf,
  createTestDatabase,
  exactly,
  packagesOfTier,
  sourceRoot,
  until,
} from '@carton/runtime/testing';
import t from 'tap';
import { startBox } from '../../runtime/start-box.ts';

const folder = join(import.meta.dirname, 'support/release-0.1.0');
const { tenants, secrets } = JSON.parse(await readFile(join(folder, 'tenants.json'), 'utf8'));
const dump = gunzipSync(await readFile(join(folder, 'dump.sql.gz'))).toString();

const database = await createTestDatabase('empty');
await administerAt(database.url, dump);
const queryAll = <Row = Record<string, unknown>>(text: string) =>
  administerAt(database.url, 'set row_security = off', text) as Promise<Row[]>;

/** Returns the number of rows of every table. */
async function countRows(): Promise<Map<string, number>> {
  const tables = await queryAll<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await queryAll<{ count: string }>(`select count(*) as count from public.${name}`);
    counts.set(name, Number(row?.count));
  }
  return counts;
}

/** Tables whose rows expire and are deleted by jobs. */
const expiring = new Set([
  'auth_attempts',
  'staff_sessions',
  'staff_invites',
  'staff_tokens',
  'idempotency_keys',
  'event_outbox',
  'event_deliveries',
]);

const before = await countRows();
/** Returns the number of events that are not dispatched. */
async function countUndispatched(): Promise<number> {
  const [row] = await queryAll<{ count: number }>(
    'select count(*)::int as count from event_outbox where dispatched_at is null',
  );
  return row?.count ?? 0;
}

const undispatched = await countUndispatched();
const start = () =>
  startBox({
    databaseUrl: database.url,
    tier: 'enterprise',
    packages: packagesOfTier('enterprise'),
    packagesFrom: sourceRoot,
    operatorSecret: secrets.operator,
    hostingSecret: secrets.hosting,
    environment: { PAYMENT_ADAPTERS: 'manual' },
    strictResponses: true,
    host: '127.0.0.1',
    port: 0,
  });
let box = await start();
t.teardown(async () => {
  await box.stop();
  await database.drop();
});

// biome-ignore lint/suspicious/noExplicitAny: read from a file.
type LoadTenant = any;

const tenantHeaders = ({ slug }: LoadTenant) => ({ 'x-tenant-slug': slug, 'x-hosting-secret': secrets.hosting });
const shopperOf = (tenant: LoadTenant, session: string) =>
  callerOf(box.url, { ...tenantHeaders(tenant), 'x-session-id': session }, true);

async function signIn(tenant: LoadTenant): Promise<Caller> {
  const { email, password } = tenant;
  const { status, body } = await callerOf(box.url, tenantHeaders(tenant)).post('/admin/auth/login', {
    email,
    password,
  });
  t.equal(status, 200, 'the owner signs in with the old password');
  return callerOf(box.url, { ...tenantHeaders(tenant), authorization: `Bearer ${body.token}` });
}

t.test('no row is lost', async (t) => {
  const after = await countRows();
  const lost = [...before].filter(([table, rows]) => !expiring.has(table) && (after.get(table) ?? 0) < rows);
  t.strictSame(lost, []);
});

t.test('a second start applies no migration', async (t) => {
  const applied = () => queryAll('select * from applied_migrations order by 1, 2, 3');
  const first = await applied();
  t.ok(first.length > 0);
  await box.stop();
  box = await start();
  t.strictSame(await applied(), first);
});

t.test('existing deliveries have the type of their event', async (t) => {
  const deliveries = await queryAll<{ type: string; ofDelivery: string }>(
    `select event_outbox.type, event_deliveries.type as "ofDelivery"
       from event_deliveries join event_outbox on event_outbox.id = event_deliveries.event_id`,
  );
  t.ok(deliveries.length > 0);
  t.strictSame(
    deliveries.filter(({ type, ofDelivery }) => type !== ofDelivery),
    [],
  );
});

t.test('undispatched events are dispatched', async (t) => {
  t.ok(undispatched > 0, `${undispatched} events waited`);
  await until(countUndispatched, (left) => left === 0);
});

for (const tenant of tenants) {
  t.test(`the tenant ${tenant.slug}`, async (t) => {
    const staff = await signIn(tenant);
    const read = async (path: string) => {
      const { status, body } = await staff.get(path);
      t.equal(status, 200, path);
      return body;
    };

    await t.test('orders are unchanged', async (t) => {
      for (const order of tenant.list) t.match(await read(`/admin/orders/${order.id}`), unchanged(order), order.number);
      const { items } = await read('/admin/orders');
      t.strictSame(
        items.map(({ number }: { number: string }) => number),
        tenant.list.map(({ number }: { number: string }) => number),
      );
    });

    await t.test('stock is unchanged', async (t) => {
      const { items } = await read('/admin/stock-items');
      const figures = ({ id, onHand, reserved }: Record<string, unknown>) => ({ id, onHand, reserved });
      t.strictSame(items.map(figures), tenant.stock.map(figures));
    });

    await t.test('products, collections, keys, invites and hosts work', async (t) => {
      const visitor = callerOf(box.url, tenantHeaders(tenant));
      const { items } = (await visitor.get('/products')).body;
      t.strictSame(items.map(({ handle }: { handle: string }) => handle).sort(), ['linen-shirt', 'mug', 'notebook']);
      t.match((await visitor.get('/products?q=shirt')).body.items, exactly([{ handle: 'linen-shirt' }]));
      t.equal((await visitor.get('/collections/summer')).body.products.items.length, 3);
      const erp = callerOf(box.url, { ...tenantHeaders(tenant), authorization: `Bearer ${tenant.apiKey}` });
      t.equal((await erp.get('/admin/orders')).status, 200);
      t.equal((await erp.get('/admin/users')).status, 403);
      const hosting = callerOf(box.url, { 'x-hosting-secret': secrets.hosting });
      t.match(await hosting.get(`/tenants/lookup?host=${tenant.host}`), {
        status: 200,
        body: { tenantSlug: tenant.slug },
      });
    });

    await t.test('a shopper orders an existing cart', async (t) => {
      const { session, cart } = tenant.carts.active;
      const shopper = shopperOf(tenant, session);
      const { body } = await shopper.get('/cart');
      t.match(body, { id: cart.id, email: cart.email, note: cart.note, shippingAddress: cart.shippingAddress });
      t.strictSame(body.totals.total, cart.totals.total);
      const [shirt] = tenant.articles;
      t.equal((await shopper.post('/cart/items', { variantId: shirt.variantId, quantity: 1 })).status, 201);
      const placed = await shopper.post('/checkout', { customer: { email: 'linus@example.com' } });
      t.equal(placed.status, 201);
      t.match(await read(`/admin/orders/${placed.body.id}`), { customer: { email: 'linus@example.com' } });
      t.equal((await shopper.get('/cart')).body.items.length, 0);
    });

    await t.test('an unknown session does not find it', async (t) => {
      const shopper = shopperOf(tenant, 'A'.repeat(43));
      t.match((await shopper.get('/cart')).body, { id: null });
    });

    await t.test('an open payment session becomes an order', async (t) => {
      const { session, method } = tenant.carts.paying;
      const shopper = shopperOf(tenant, session);
      const placed = await shopper.post('/checkout', {
        customer: { email: 'paying@example.com' },
        paymentMethod: method,
      });
      t.equal(placed.status, 201);
      const { items } = await read(`/admin/payments?orderId=${placed.body.id}`);
      t.strictSame(
        items.map(({ status }: { status: string }) => status),
        ['pending'],
      );
    });

    await t.test('a partly paid order is paid in full', async (t) => {
      const { id, total } = tenant.orders.partlyPaid;
      const path = `/admin/orders/${id}`;
      const rest = { amount: total.amount - 2000, currency: total.currency };
      const beyond = { ...rest, amount: rest.amount + 1 };
      t.match(await read(path), { paymentStatus: 'partially_paid' });
      t.equal((await staff.post(`${path}/payments`, { amount: beyond, method: 'cash' })).status, 409);
      t.equal((await staff.post(`${path}/payments`, { amount: rest, method: 'cash' })).status, 201);
      t.match(await read(path), { paymentStatus: 'paid' });
    });

    await t.test('a pending payment is captured', async (t) => {
      const { id, total } = tenant.orders.pending;
      const { items } = await read(`/admin/payments?orderId=${id}`);
      t.equal((await staff.post(`/admin/payments/${items[0].id}/capture`)).status, 200);
      t.match(await read(`/admin/orders/${id}`), { paymentStatus: 'paid' });
      t.strictSame((await read(`/admin/payments/${items[0].id}`)).captured, total);
    });

    await t.test('a paid order can be refunded, and an unpaid one canceled', async (t) => {
      const paid = (await read(`/admin/payments?orderId=${tenant.orders.paid.id}`)).items[0];
      const refunded = await staff.post(`/admin/payments/${paid.id}/refunds`, { amount: paid.amount });
      t.equal(refunded.status, 201);
      t.match(await read(`/admin/orders/${tenant.orders.paid.id}`), { paymentStatus: 'refunded' });
      const canceled = await staff.post(`/admin/orders/${tenant.orders.unpaid.id}/cancel`);
      t.match(canceled, { status: 200, body: { status: 'canceled', paymentStatus: 'voided' } });
    });

    await t.test('only the shopper who placed an order sees it complete', async (t) => {
      const { id, session } = tenant.orders.archived;
      t.match((await shopperOf(tenant, session).get(`/checkout/${id}`)).body.customer, { name: 'Ada Lovelace' });
      const masked = (await callerOf(box.url, tenantHeaders(tenant)).get(`/checkout/${id}`)).body.customer;
      t.not(masked.name, 'Ada Lovelace');
    });
  });
}

/** Returns an order as a pattern, which allows new fields. */
function unchanged({ updatedAt: _, ...order }: Record<string, unknown>) {
  return order;
}
