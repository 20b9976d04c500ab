/**
 * Counts reports by day and in total, each exactly once, and removes those that are old. The mark of a report and its
 * count are written in one transaction, so a process that dies in between has counted nothing.
 */
import { newId } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Job } from '../schedule.ts';

/** Key of the advisory lock by which one replica at a time counts, removes what is old, or erases a customer. */
const lock = 3_310_552_907;
const defaultBatch = 5000;
const removedTogether = 10_000;

export function countJob(db: Knex, interval = 60_000): Job {
  return { complaint: 'downloads could not be counted', interval, run: () => rollUpReports(db) };
}

/** @param days 0 to keep reports for ever */
export function reportJob(db: Knex, days = 400): Job {
  return {
    complaint: 'old download reports could not be removed',
    interval: 3_600_000,
    run: () => removeOldReports(db, days),
  };
}

/** Waits for a count in progress, and prevents others until the end of the transaction. */
export async function lockRollUps(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(?)', [lock]);
}

/** Does not wait. */
async function tryLockRollUps(transaction: Knex.Transaction): Promise<boolean> {
  const { rows } = await transaction.raw('select pg_try_advisory_xact_lock(?) as mine', [lock]);
  return rows[0].mine;
}

/** The reports of a batch that have the same values on the same day. */
interface Group {
  day: string;
  customerId: string;
  tier: string;
  packageName: string;
  version: string | null;
  outcome: string;
  count: number;
  firstAt: string;
  lastAt: string;
}

/** Counts all reports that were not counted yet, also those of earlier days that arrived late. Returns how many. */
export async function rollUpReports(db: Knex, batch = defaultBatch): Promise<number> {
  let total = 0;
  for (;;) {
    const counted = await db.transaction((transaction) => rollUpBatch(transaction, batch));
    total += counted;
    if (counted < batch) return total;
  }
}

async function rollUpBatch(transaction: Knex.Transaction, batch: number): Promise<number> {
  if (!(await tryLockRollUps(transaction))) return 0;
  const groups = await markBatch(transaction, batch);
  if (groups.length === 0) return 0;
  await addToDays(transaction, groups);
  await addToTotals(transaction, groups);
  return groups.reduce((sum, { count }) => sum + count, 0);
}

async function markBatch(transaction: Knex.Transaction, batch: number): Promise<Group[]> {
  const { rows } = await transaction.raw(
    `with due as materialized (
       select id from download_reports where rolled_up_at is null order by created_at limit ?),
     marked as (
       update download_reports set rolled_up_at = now() from due
        where download_reports.id = due.id and rolled_up_at is null
       returning customer_id, tier, package_name, version, outcome, downloaded_at)
     select (downloaded_at at time zone 'UTC')::date as day, customer_id as "customerId", tier,
            package_name as "packageName", version, outcome, count(*)::integer as count,
            min(downloaded_at) as "firstAt", max(downloaded_at) as "lastAt"
       from marked group by 1, 2, 3, 4, 5, 6`,
    [batch],
  );
  return rows;
}

async function addToDays(transaction: Knex.Transaction, groups: readonly Group[]): Promise<void> {
  const column = (name: keyof Group) => groups.map((group) => group[name]);
  await transaction.raw(
    `insert into download_rollups (id, day, customer_id, tier, package_name, version, outcome, count)
     select * from unnest(
       ?::uuid[], ?::date[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
     on conflict on constraint download_rollups_once do update set count = download_rollups.count + excluded.count`,
    [
      groups.map(() => newId()),
      column('day'),
      column('customerId'),
      column('tier'),
      column('packageName'),
      column('version'),
      column('outcome'),
      column('count'),
    ] as never,
  );
}

async function addToTotals(transaction: Knex.Transaction, groups: readonly Group[]): Promise<void> {
  const column = (name: keyof Group) => groups.map((group) => group[name]);
  await transaction.raw(
    `insert into download_totals (customer_id, package_name, version, outcome, count, first_at, last_at)
     select customer_id, package_name, version, outcome, sum(count), min(first_at), max(last_at)
       from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::timestamptz[], ?::timestamptz[])
            as days (customer_id, package_name, version, outcome, count, first_at, last_at)
      group by 1, 2, 3, 4
     on conflict on constraint download_totals_once do update
        set count = download_totals.count + excluded.count,
            first_at = least(download_totals.first_at, excluded.first_at),
            last_at = greatest(download_totals.last_at, excluded.last_at)`,
    [
      column('customerId'),
      column('packageName'),
      column('version'),
      column('outcome'),
      column('count'),
      column('firstAt'),
      column('lastAt'),
    ] as never,
  );
}

/**
 * Removes reports that arrived more than so many days ago and have been counted. Returns how many.
 * @param days 0 to keep them for ever
 */
export async function removeOldReports(db: Knex, days: number): Promise<number> {
  if (days === 0) return 0;
  let total = 0;
  for (;;) {
    const removed = await db.transaction((transaction) => removeBatch(transaction, days));
    total += removed;
    if (removed < removedTogether) return total;
  }
}

async function removeBatch(transaction: Knex.Transaction, days: number): Promise<number> {
  if (!(await tryLockRollUps(transaction))) return 0;
  const old = transaction('download_reports')
    .whereRaw('created_at < now() - make_interval(days => ?)', [days])
    .whereNotNull('rolledUpAt')
    .orderBy('createdAt')
    .limit(removedTogether)
    .select('id');
  return transaction('download_reports').whereIn('id', old).delete();
}
