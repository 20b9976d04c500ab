/**
 * The consistency check of rigs passes after fault-free shopping, and finds and names each kind of corruption.
 */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTestBox, packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { openTenantAt } from '../../../tools/load/tenant.ts';
import { newTally } from '../client.ts';
import { checkConsistency } from '../consistency.ts';
import { checkDeliveries, recorderPackage } from '../deliveries.ts';
import { withReader } from '../postgres.ts';
import { type Purchase, sendShoppers } from '../shoppers.ts';

const stock = 1000;
const minimumOrders = 12;
const { signal } = new AbortController();

/** Returns a folder with the packages and the recorder in its node_modules. */
async function packagesFrom(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'consistency-'));
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
const tenant = await openTenantAt(box.url, { secrets, slug: 'consistency', products: 4, stock });
const tally = newTally();
const shoppers = sendShoppers({ urls: [box.url], tenants: [tenant], shoppers: 4, tally, thinkTime: 5 });
const { purchases } = shoppers;
const ordered = () => purchases.filter(({ end }) => end === 'ordered');
while (ordered().length < minimumOrders) await new Promise((resolve) => setTimeout(resolve, 10));
await shoppers.stop();

const check = (seen: readonly Purchase[] = purchases) => checkConsistency(box.databaseUrl, [tenant], seen, stock);
const checkEvents = (outsideTransaction: 'once' | 'at least once' = 'once') =>
  checkDeliveries({ signal }, box.databaseUrl, { outsideTransaction, delivered: true });

t.test('fault-free shopping is consistent', async (t) => {
  const { broken, counts } = await check();
  t.strictSame(broken, []);
  t.strictSame([...tally.broken], []);
  t.equal(counts.orders, ordered().length);
  t.ok((counts.carts ?? 0) > 0, 'some abandoned their cart');
  t.strictSame(new Set(purchases.map(({ behaviour }) => behaviour)).size, 4, 'shoppers of every behaviour');
  const deliveries = await checkEvents();
  t.strictSame(deliveries.broken, []);
  t.ok((deliveries.counts.eventsDelivered ?? 0) >= (counts.events ?? 0), 'for every tenant');
});

/** Corruptions, each undone by restoring the tables. */
const corruptions: { what: string; tables: string[]; by: string; finds: RegExp; events?: boolean }[] = [
  {
    what: 'a lost order',
    tables: ['orders'],
    by: 'delete from orders where id = (select id from orders where tenant_id = $1 limit 1)',
    finds: /got the id of order \S+, which does not exist|found an empty cart without an order/,
  },
  {
    what: 'an order with a wrong item',
    tables: ['order_line_items'],
    by: `update order_line_items set quantity = quantity + 1 where tenant_id = $1
          and id = (select id from order_line_items where tenant_id = $1 limit 1)`,
    finds: /added .*, and has/,
  },
  {
    what: 'an order of no shopper',
    tables: ['orders'],
    by: `update orders set session_hash = 'unknown' where id = (select id from orders where tenant_id = $1 limit 1)`,
    finds: /no shopper placed order/,
  },
  {
    what: 'two orders of one cart',
    tables: ['orders'],
    by: `update orders set session_hash = (select min(session_hash) from orders where tenant_id = $1)
          where id = (select id from orders where tenant_id = $1 order by session_hash desc limit 1)`,
    finds: /has 2 orders from one cart/,
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
    what: 'a missing stock movement',
    tables: ['stock_movements'],
    by: `delete from stock_movements where id =
         (select id from stock_movements where tenant_id = $1 and reason = 'sold' limit 1)`,
    finds: /order \S+ has \d+, and the stock movements (none|\d+)/,
  },
  {
    what: 'a cart that lost its items',
    tables: ['cart_line_items'],
    by: 'delete from cart_line_items where tenant_id = $1',
    finds: /a shopper \(abandons the cart\) added .*, and has nothing/,
  },
  {
    what: 'an event that is missing',
    tables: ['event_outbox', 'event_deliveries'],
    by: `delete from event_outbox where id =
         (select id from event_outbox where tenant_id = $1 and type = 'order.placed' limit 1)`,
    finds: /has 0 order.placed and 1 checkout.completed/,
  },
  {
    what: 'an event of an unknown order',
    tables: ['event_outbox'],
    by: `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload)
         values ($1, gen_random_uuid(), 'order.placed', 'order', gen_random_uuid(), '{}')`,
    finds: /has 1 order.placed and 0 checkout.completed/,
  },
  {
    what: 'an Idempotency-Key without a response',
    tables: ['idempotency_keys'],
    by: `update idempotency_keys set status = null, body = null where key =
         (select min(key) from idempotency_keys where tenant_id = $1)`,
    finds: /has no response/,
  },
  {
    what: 'an event that was not delivered',
    tables: ['recorded_events'],
    by: `delete from recorded_events where event_id = (select min(event_id::text)::uuid from recorded_events where tenant_id = $1)`,
    finds: /1 events were never recorded/,
    events: true,
  },
  {
    what: 'an event that was delivered twice',
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
    what: 'a dead delivery',
    tables: ['event_deliveries'],
    by: `update event_deliveries set status = 'dead' where tenant_id = $1`,
    finds: /deliveries are dead/,
    events: true,
  },
];

for (const { what, tables, by, finds, events } of corruptions) {
  t.test(what, (t) =>
    withReader(box.databaseUrl, async (run) => {
      /** Returns the statement that restores a table's rows, without generated columns. */
      const restoreStatement = async (table: string): Promise<string> => {
        const columns = await run<{ names: string }>(
          `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as names
             from information_schema.columns
            where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`,
        );
        const { names } = columns[0] as { names: string };
        return `insert into ${table} (${names}) select ${names} from saved_${table}`;
      };
      // Foreign keys and triggers are not enforced meanwhile.
      await run('set session_replication_role = replica');
      for (const table of tables) await run(`create temporary table saved_${table} as table ${table}`);
      await run(by.replaceAll('$1', `'${tenant.tenantId}'`));
      const { broken } = events ? await checkEvents() : await check();
      t.match(broken.join('\n'), finds);
      for (const table of tables) {
        await run(`delete from ${table}`);
        await run(await restoreStatement(table));
      }
      t.strictSame(
        [...(await check()).broken, ...(await checkEvents()).broken],
        [],
        'consistent again after restoring',
      );
    }),
  );
}

t.test('what shoppers saw is checked too', async (t) => {
  const [first, second] = ordered() as [Purchase, Purchase];
  const withChange = (change: Partial<Purchase>) => [
    { ...first, ...change },
    ...purchases.filter((each) => each !== first),
  ];
  const cases: { change: Partial<Purchase>; finds: RegExp }[] = [
    { change: { placed: [...first.placed, ...second.placed] }, finds: /got 2 order ids for one cart/ },
    { change: { end: 'given up' }, finds: /got no response for too long/ },
    { change: { end: 'abandoned', placed: [] }, finds: /has order \S+ without a checkout/ },
    { change: { items: new Map([['another', 1]]) }, finds: /added another × 1, and has/ },
  ];
  for (const { change, finds } of cases) t.match((await check(withChange(change))).broken.join('\n'), finds);
});
