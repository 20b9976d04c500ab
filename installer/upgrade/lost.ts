/**
 * What a restore of an upgrade's backup would lose: everything that was written since. It is counted, the orders are named,
 * and all of it is written to a file, before anything changes.
 */
import { open } from 'node:fs/promises';
import type pg from 'pg';
import { chooseDatabaseAccount, postgresProgram } from '../backup/account.ts';
import type { DatabaseRecord } from '../backup/database.ts';
import { databaseHome, lockDatabase } from '../backup/home.ts';
import { withServer } from '../backup/server.ts';
import type { BoxFolder } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';

/** The tables whose new rows were acknowledged to a shopper or a payment provider. */
const counted = ['orders', 'payments', 'payment_transactions', 'refunds', 'members'] as const;
/** What the box writes for itself, or expires by itself. */
const technical =
  /^(event_|idempotency_keys$|applied_migrations$|background_|auth_attempts$|knex_|.*_(sessions|tokens|words)$)/;
const batchRows = 500;

export interface LostWrites {
  /** Since when, ISO 8601. */
  since: string;
  /** Numbers of the orders of each store, in their order, by its slug. */
  orders: Record<string, string[]>;
  /** New rows of each counted table that exists. */
  counts: Record<string, number>;
  /** Rows in the file: new and changed ones of all tables with a time. */
  rows: number;
  /** The file with their content, one JSON object in each line. */
  file: string;
}

/**
 * Finds what was written since a backup, and writes it to a new file of mode 0600.
 * @param client as the owner of the database, so that it sees the rows of all stores
 */
export async function findLostWrites(client: pg.Client, backup: DatabaseRecord, file: string): Promise<LostWrites> {
  await client.query('begin isolation level repeatable read read only');
  // Then a role that may not read all rows of a database of the operator's own fails, and nothing is left out.
  await client.query('set local row_security = off');
  const tables = await tablesWithTimes(client);
  const since = await sinceOf(client, backup, tables.has('orders'));
  const counts: Record<string, number> = {};
  for (const table of counted) {
    if (!tables.has(table)) continue;
    const { rows } = await client.query(`select count(*)::int as count from ${table} where created_at >= $1`, [since]);
    counts[table] = rows[0].count;
  }
  const orders: Record<string, string[]> = {};
  if (tables.has('orders')) {
    const { rows } = await client.query<{ slug: string; number: string }>(
      `select slug, number from orders join tenants on tenants.id = tenant_id
        where orders.created_at >= $1 order by slug, orders.created_at, orders.id`,
      [since],
    );
    for (const { slug, number } of rows) {
      orders[slug] ??= [];
      orders[slug].push(number);
    }
  }
  const rows = await writeRows(client, tables, since, file);
  await client.query('commit');
  return { since, orders, counts, rows, file };
}

/**
 * The same for the embedded database of a stopped box, by a server of this command.
 * @param release id of the release whose PostgreSQL runs it
 * @throws Failure busy if the database runs
 */
export async function findLostWritesOfStopped(
  folder: BoxFolder,
  release: string,
  backup: DatabaseRecord,
  file: string,
  options: { output: Output; signal?: AbortSignal | undefined },
): Promise<LostWrites> {
  const { directory, home, data, password } = await databaseHome(folder);
  const unlock = await lockDatabase(directory);
  if (!unlock) throw new Failure('busy', 'the database of the box runs', `Run ${vendor} stop first`);
  try {
    const account = await chooseDatabaseAccount(data);
    const program = await postgresProgram(folder, release, home, account);
    return await withServer({ program, account, data, password, ...options }, (client) =>
      findLostWrites(client, backup, file),
    );
  } finally {
    unlock();
  }
}

interface TimedTable {
  name: string;
  isTenants: boolean;
  hasUpdate: boolean;
}

/** The tables of stores whose rows have the time of their creation, by name. */
async function tablesWithTimes(client: pg.Client): Promise<Map<string, TimedTable>> {
  const { rows } = await client.query<TimedTable>(
    `select relname as name, relname = 'tenants' as "isTenants",
            exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'updated_at') as "hasUpdate"
       from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'created_at')
        and (relname = 'tenants'
             or exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id'))
      order by relname = 'orders' desc, relname`,
  );
  return new Map(rows.filter(({ name }) => !technical.test(name)).map((table) => [table.name, table]));
}

/**
 * The time of the backup. It is the beginning of a transaction that saw everything committed before. If others were in
 * progress then, there are more orders than are newer, and it is moved back by as many.
 */
async function sinceOf(client: pg.Client, { time, counts }: DatabaseRecord, hasOrders: boolean): Promise<string> {
  const before = counts?.['public.orders'];
  if (!hasOrders || before === undefined) return time;
  const { rows } = await client.query(
    `select least($1::timestamptz, (select created_at from orders order by created_at desc, id desc
        offset greatest((select count(*) from orders) - $2 - 1, 0) limit 1)) as since,
            (select count(*) from orders) > $2 as more`,
    [time, before],
  );
  return rows[0].more ? (rows[0].since as Date).toISOString() : time;
}

async function writeRows(
  client: pg.Client,
  tables: ReadonlyMap<string, TimedTable>,
  since: string,
  file: string,
): Promise<number> {
  const handle = await open(file, 'wx', 0o600);
  let count = 0;
  try {
    const write = async (query: string) => {
      await client.query(`declare lost no scroll cursor for ${query}`);
      for (;;) {
        const { rows } = await client.query<{ line: object }>(`fetch ${batchRows} from lost`);
        if (rows.length === 0) break;
        count += rows.length;
        await handle.write(rows.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
      }
      await client.query('close lost');
    };
    const time = client.escapeLiteral(since);
    for (const { name, isTenants, hasUpdate } of tables.values()) {
      const store = isTenants ? 'it.slug' : '(select slug from tenants where tenants.id = it.tenant_id)';
      await write(
        `select json_build_object('table', '${name}', 'store', ${store},
                'change', case when created_at >= ${time} then 'created' else 'changed' end, 'row', row_to_json(it)) as line
           from ${client.escapeIdentifier(name)} it
          where created_at >= ${time}${hasUpdate ? ` or updated_at >= ${time}` : ''}
          order by created_at`,
      );
    }
    if (tables.has('orders')) {
      for (const name of await partsOfOrders(client, tables)) {
        await write(
          `select json_build_object('table', '${name}', 'store', (select slug from tenants where tenants.id = it.tenant_id),
                  'change', 'created', 'row', row_to_json(it)) as line
             from ${client.escapeIdentifier(name)} it
             join orders on orders.tenant_id = it.tenant_id and orders.id = it.order_id
            where orders.created_at >= ${time}`,
        );
      }
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return count;
}

/** Tables whose rows belong to an order and have no time of their own. */
async function partsOfOrders(client: pg.Client, timed: ReadonlyMap<string, TimedTable>): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id')
        and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'order_id')
      order by relname`,
  );
  return rows.map(({ name }) => name).filter((name) => !timed.has(name) && !technical.test(name));
}
