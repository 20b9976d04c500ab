/**
 * Counting the rows of a database at a point of its write-ahead log (WAL), so that a restore can be compared with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Rows by table, such as `public.orders`. */
export type Counts = Record<string, number>;

export interface CountedMoment {
  /** Where the WAL was: a recovery that stops before the record at this place has exactly the rows counted. */
  lsn: string;
  /** False if transactions were being committed all the time: then a recovery may have some rows more. */
  exact: boolean;
  counts: Counts;
  /** ISO 8601; every transaction that was acknowledged before is included. */
  time: string;
}

/** Milliseconds in which a moment without a commit in progress is looked for. */
const patience = 3000;

/**
 * Counts the rows of all tables in one snapshot. The snapshot belongs to a place in the WAL if nothing was written while it
 * was taken, and no transaction was in progress before: one whose commit is in the WAL becomes visible a little later. That
 * is tried for three seconds, without locks that others would wait for.
 * @param atMoment is called once the moment has been found, before the rows are counted
 */
export async function countAtMoment(client: pg.Client, atMoment: () => Promise<void>): Promise<CountedMoment> {
  const until = Date.now() + patience;
  for (;;) {
    // In one round trip: the shorter the moment is, the fewer commits fall into it.
    const [, before, writers, , , after] = (await client.query(
      `begin; select pg_current_wal_insert_lsn() as lsn; select from pg_locks where locktype = 'transactionid' limit 1;
       commit; begin isolation level repeatable read read only;
       select transaction_timestamp() as time, pg_current_wal_insert_lsn() as lsn`,
    )) as unknown as [unknown, pg.QueryResult, pg.QueryResult, unknown, unknown, pg.QueryResult];
    const { lsn, time } = after.rows[0];
    const exact = writers.rowCount === 0 && before.rows[0].lsn === lsn;
    if (exact || Date.now() > until) {
      await atMoment();
      const counts = await countRows(client);
      await client.query('commit');
      return { lsn, exact, counts, time: (time as Date).toISOString() };
    }
    await client.query('commit');
    await sleep(2 + Math.random() * 10);
  }
}

/** Counts the rows of all tables, in the transaction of the client. */
export async function countRows(client: pg.Client): Promise<Counts> {
  const tables = await client.query<{ schema: string; name: string }>(
    `select nspname as schema, relname as name from pg_class join pg_namespace it on it.oid = relnamespace
      where relkind = 'r' and relpersistence = 'p' and nspname !~ '^pg_' and nspname <> 'information_schema'
      order by 1, 2`,
  );
  const counts: Counts = {};
  for (const { schema, name } of tables.rows) {
    const from = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
    const { rows } = await client.query(`select count(*)::float8 as count from ${from}`);
    counts[`${schema}.${name}`] = rows[0].count;
  }
  return counts;
}

/** Returns a line for each table whose count differs. */
export function compareCounts(expected: Counts, found: Counts): string[] {
  const tables = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return tables
    .filter((table) => expected[table] !== found[table])
    .map((table) => `${table} has ${found[table] ?? 'no'} rows instead of ${expected[table] ?? 'none'}`);
}
