/**
 * A rig is worth what it notices: after honest trade the books are even, and each thing that a fault would leave in the
 * database is found and named.
 */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTestBox, packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { openTenantAt } from '../../tools/load/tenant.ts';
import { holdBooks } from '../books.ts';
import { newTally } from '../client.ts';
import { holdDeliveries, recorderPackage } from '../deliveries.ts';
import { withReader } from '../postgres.ts';
import { type Purchase, sendShoppers } from '../shoppers.ts';

const stock = 1000;
const ordersWanted = 12;
const { signal } = new AbortController();

/** A folder beside whose node_modules the packages and the recorder stand. */
async function packagesFrom(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'books-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@carton'), { recursive: true });
  for (const name of packagesOfTier('enterprise')) {
    await symlink(join(dirname(sourceRoot), 'node_modules', name), join(modules, name));
  }
  for (const [name, target] of Object.entries(recorderPackage)) await symlink(target, join(modules, name));
  await writeFile(join(folder, 'package.json'), '{}');
  return join(folder, 'package.json');
}

const packages = [...packagesOfTier('enterprise'), ...Object.keys(recorderPackage)];
const box = await createTestBox(t, { packages, packagesFrom: await packagesFrom() });
const secrets = { operatorSecret: box.secrets.operator, hostingSecret: box.secrets.hosting };
const tenant = await openTenantAt(box.url, { secrets, slug: 'books', products: 4, stock });
const tally = newTally();
const shoppers = sendShoppers({ urls: [box.url], tenants: [tenant], shoppers: 4, tally, thinking: 5 });
const { purchases } = shoppers;
const ordered = () => purchases.filter(({ end }) => end === 'ordered');
while (ordered().length < ordersWanted) await new Promise((resolve) => setTimeout(resolve, 10));
await shoppers.stop();

const hold = (seen: readonly Purchase[] = purchases) => holdBooks(box.databaseUrl, [tenant], seen, stock);
const holdEvents = (outsideTransaction: 'once' | 'at least once' = 'once') =>
  holdDeliveries({ signal }, box.databaseUrl, { outsideTransaction, delivered: true });

t.test('honest trade leaves even books', async (t) => {
  const { broken, counts } = await hold();
  t.strictSame(broken, []);
  t.strictSame([...tally.broken], []);
  t.equal(counts.orders, ordered().length);
  t.ok((counts.carts ?? 0) > 0, 'some left their cart');
  t.strictSame(new Set(purchases.map(({ manner }) => manner)).size, 4, 'shoppers of every manner');
  const deliveries = await holdEvents();
  t.strictSame(deliveries.broken, []);
  t.ok((deliveries.counts.eventsDelivered ?? 0) >= (counts.events ?? 0), 'of every shop');
});

/** What a fault leaves; each is undone by putting the tables back. */
const meddled: { what: string; tables: string[]; by: string; finds: RegExp; events?: boolean }[] = [
  {
    what: 'an order that is lost',
    tables: ['orders'],
    by: 'delete from orders where id = (select id from orders where tenant_id = $1 limit 1)',
    finds: /was told of order \S+, which there is not|found the cart gone without an order/,
  },
  {
    what: 'an order that lost an item',
    tables: ['order_line_items'],
    by: `update order_line_items set quantity = quantity + 1 where tenant_id = $1
          and id = (select id from order_line_items where tenant_id = $1 limit 1)`,
    finds: /put in .*, and there is/,
  },
  {
    what: 'an order of nobody',
    tables: ['orders'],
    by: `update orders set session_hash = 'stranger' where id = (select id from orders where tenant_id = $1 limit 1)`,
    finds: /nobody placed order/,
  },
  {
    what: 'two orders of one cart',
    tables: ['orders'],
    by: `update orders set session_hash = (select min(session_hash) from orders where tenant_id = $1)
          where id = (select id from orders where tenant_id = $1 order by session_hash desc limit 1)`,
    finds: /has 2 orders of one cart/,
  },
  {
    what: 'stock that was taken twice',
    tables: ['stock_levels'],
    by: `update stock_levels set on_hand = on_hand - 1 where tenant_id = $1 and stock_item_id =
         (select stock_item_id from stock_levels where tenant_id = $1 limit 1)`,
    finds: /stock of \S+: \d+ on hand/,
  },
  {
    what: 'stock that stays reserved',
    tables: ['stock_levels'],
    by: 'update stock_levels set reserved = 1 where tenant_id = $1',
    finds: /1 reserved/,
  },
  {
    what: 'a movement that is missing',
    tables: ['stock_movements'],
    by: `delete from stock_movements where id =
         (select id from stock_movements where tenant_id = $1 and reason = 'sold' limit 1)`,
    finds: /order \S+ sold \d+, and (none|\d+) was taken/,
  },
  {
    what: 'a cart that lost its items',
    tables: ['cart_line_items'],
    by: 'delete from cart_line_items where tenant_id = $1',
    finds: /a shopper \(leaves the cart\) put in .*, and there is nothing/,
  },
  {
    what: 'an event that is missing',
    tables: ['event_outbox', 'event_deliveries'],
    by: `delete from event_outbox where id =
         (select id from event_outbox where tenant_id = $1 and type = 'order.placed' limit 1)`,
    finds: /has 0 order.placed and 1 checkout.completed/,
  },
  {
    what: 'an event of an order that there is not',
    tables: ['event_outbox'],
    by: `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
         values ($1, gen_random_uuid(), 'order.placed', 'order', gen_random_uuid(), '{}')`,
    finds: /has 1 order.placed and 0 checkout.completed/,
  },
  {
    what: 'an Idempotency-Key without its answer',
    tables: ['idempotency_keys'],
    by: `update idempotency_keys set status = null, body = null where key =
         (select min(key) from idempotency_keys where tenant_id = $1)`,
    finds: /stands without its answer/,
  },
  {
    what: 'an event that nobody was told of',
    tables: ['recorded_events'],
    by: `delete from recorded_events where event_id = (select min(event_id::text)::uuid from recorded_events where tenant_id = $1)`,
    finds: /1 events were never recorded/,
    events: true,
  },
  {
    what: 'an event that was told twice',
    tables: ['recorded_events'],
    by: `insert into recorded_events (tenant_id, id, subscriber, event_id, resource_id, delivery_id, attempt)
         select tenant_id, gen_random_uuid(), subscriber, event_id, resource_id, delivery_id, 2
           from recorded_events where tenant_id = $1`,
    finds: /events were recorded more than once/,
    events: true,
  },
  {
    what: 'events in the wrong order',
    tables: ['recorded_events'],
    by: 'update recorded_events set position = -position where tenant_id = $1',
    finds: /before an earlier one of their resource/,
    events: true,
  },
  {
    what: 'a delivery that is dead',
    tables: ['event_deliveries'],
    by: `update event_deliveries set status = 'dead' where tenant_id = $1`,
    finds: /deliveries are dead/,
    events: true,
  },
];

for (const { what, tables, by, finds, events } of meddled) {
  t.test(what, (t) =>
    withReader(box.databaseUrl, async (run) => {
      /** The statement that puts a table's rows back: what PostgreSQL generates it generates again. */
      const putBack = async (table: string): Promise<string> => {
        const columns = await run<{ names: string }>(
          `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as names
             from information_schema.columns
            where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`,
        );
        const { names } = columns[0] as { names: string };
        return `insert into ${table} (${names}) select ${names} from kept_${table}`;
      };
      // What refers to what is not looked at meanwhile: a fault asks nobody.
      await run('set session_replication_role = replica');
      for (const table of tables) await run(`create temporary table kept_${table} as table ${table}`);
      await run(by.replaceAll('$1', `'${tenant.tenantId}'`));
      const { broken } = events ? await holdEvents() : await hold();
      t.match(broken.join('\n'), finds);
      for (const table of tables) {
        await run(`delete from ${table}`);
        await run(await putBack(table));
      }
      t.strictSame([...(await hold()).broken, ...(await holdEvents()).broken], [], 'put back, the books are even');
    }),
  );
}

t.test('what shoppers saw is held too', async (t) => {
  const [first, second] = ordered() as [Purchase, Purchase];
  const given = (change: Partial<Purchase>) => [{ ...first, ...change }, ...purchases.filter((each) => each !== first)];
  const cases: { change: Partial<Purchase>; finds: RegExp }[] = [
    { change: { placed: [...first.placed, ...second.placed] }, finds: /was told of 2 orders for one cart/ },
    { change: { end: 'given up' }, finds: /was answered by nobody for too long/ },
    { change: { end: 'kept', placed: [] }, finds: /has order \S+ without a checkout/ },
    { change: { items: new Map([['another', 1]]) }, finds: /put in another × 1, and there is/ },
  ];
  for (const { change, finds } of cases) t.match((await hold(given(change))).broken.join('\n'), finds);
});
