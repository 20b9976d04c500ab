/**
 * The lock of the box that builds indexes while the tables are used (background/index-keeper.ts). Migrations come first:
 * one that waited for such a build to end would make all readers of the table wait behind it.
 */
import type { Knex } from 'knex';
import type pg from 'pg';

/** Arbitrary constants. On the first, runtimes that start concurrently wait for each other to apply migrations. */
export const migrationLock = 7_261_903_415;
const indexLock = 7_261_903_416;

/** SQL: the sessions that hold a lock. */
const holders = (key: number) => `
  select pid from pg_locks
   where locktype = 'advisory' and objsubid = 1 and granted and classid::bigint << 32 | objid::bigint = ${key}
     and database = (select oid from pg_database where datname = current_database())`;

/** Acquires the lock until the session ends; false while another session has it, or applies migrations. */
export async function lockIndexes(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${indexLock}) and not exists (${holders(migrationLock)}) as locked`,
  );
  return rows[0]?.locked === true;
}

/** Ends the session that builds indexes. Its box begins again after the migrations. */
export async function endIndexBuild(knex: Knex): Promise<void> {
  await knex.raw(
    `select pg_terminate_backend(pid, 10000) from (${holders(indexLock)}) holding
       join pg_stat_activity using (pid) where usename = current_user`,
  );
}
