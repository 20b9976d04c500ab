/**
 * Queries of `auth_attempts`: counts of attempts, which all replicas of a box share. They are raised before a secret is
 * checked, so concurrent attempts cannot exceed the limit. The first attempts are free; each of the following waits twice
 * as long as the one before, up to a maximum.
 */
import { hashToken, type TenantDatabase } from '@carton/runtime';

/** The limits of one kind of attempt for one subject, such as an account or an address. */
export interface Count {
  kind: string;
  subject: string;
  /** Attempts before the first wait. */
  free: number;
  /** Seconds. */
  longestWait: number;
}

/** Days for which a device or an address stays trusted after its last successful log-in. */
export const trustedDays = 90;

/** Rows of one statement, which locks none of them for long. */
const batchSize = 1000;

/** A count starts again after this long without an attempt. */
const resetAfter = "interval '1 hour'";

/**
 * The wait after the last attempt: 8 seconds after the last free attempt, doubled by each further one. `$4` is the
 * number of free attempts, `$5` the longest wait in seconds.
 */
const wait = `case when counted.attempts < $4::integer then interval '0'
                   else least($5::integer, 8 * 2 ^ least(counted.attempts - $4::integer, 20)) * interval '1 second' end`;

const countStatement = `
  insert into auth_attempts as counted (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
  values ($1, $2, $3, 1, clock_timestamp(), clock_timestamp() + ${resetAfter})
  on conflict (tenant_id, kind, subject_hash) do update
     set attempts = case when counted.last_at <= clock_timestamp() - ${resetAfter} then 1 else counted.attempts + 1 end,
         last_at = clock_timestamp(),
         expires_at = greatest(counted.expires_at, clock_timestamp() + ${resetAfter})
   where counted.attempts < $4::integer or counted.last_at + ${wait} <= clock_timestamp()
  returning attempts`;

const waitStatement = `
  select ceil(extract(epoch from counted.last_at + ${wait} - clock_timestamp()))::integer as seconds
    from auth_attempts counted
   where tenant_id = $1 and kind = $2 and subject_hash = $3`;

/** Counts an attempt. Returns false if it has to wait. */
export async function countAttempt(db: TenantDatabase, count: Count): Promise<boolean> {
  return (await db.query(countStatement, [...keyOf(count), count.free, count.longestWait])).length > 0;
}

/** The seconds until an attempt of this count may be made, rounded up; null if it is not stored. */
export async function secondsToWait(db: TenantDatabase, count: Count): Promise<number | null> {
  const values = [...keyOf(count), count.free, count.longestWait];
  const [left] = await db.query<{ seconds: number }>(waitStatement, values);
  return left?.seconds ?? null;
}

function keyOf({ kind, subject }: Count): [kind: string, subjectHash: string] {
  return [kind, hashToken(subject)];
}

/** The first of these counts that is stored. One statement. */
export async function findFirstStored(db: TenantDatabase, counts: readonly Count[]): Promise<Count | null> {
  const keys = counts.map(keyOf);
  const [row] = await db.query<{ position: number }>(
    `select position::integer from unnest($2::text[], $3::text[]) with ordinality as requested (kind, subject_hash, position)
       join auth_attempts using (kind, subject_hash)
      where tenant_id = $1 and expires_at > now() order by position limit 1`,
    [keys.map(([kind]) => kind), keys.map(([, subject]) => subject)],
  );
  return row ? (counts[row.position - 1] as Count) : null;
}

export async function storeTrusted(db: TenantDatabase, count: Count): Promise<void> {
  await db.query(
    `insert into auth_attempts (tenant_id, kind, subject_hash, attempts, last_at, expires_at)
     values ($1, $2, $3, 0, now(), now() + interval '${trustedDays} days')
     on conflict (tenant_id, kind, subject_hash) do update set attempts = 0, expires_at = excluded.expires_at`,
    keyOf(count),
  );
}

export async function uncount(db: TenantDatabase, count: Count): Promise<void> {
  await db.query(
    `update auth_attempts set attempts = greatest(attempts - 1, 0)
      where tenant_id = $1 and kind = $2 and subject_hash = $3`,
    keyOf(count),
  );
}

export async function deleteCount(db: TenantDatabase, count: Count): Promise<void> {
  await db.query('delete from auth_attempts where tenant_id = $1 and kind = $2 and subject_hash = $3', keyOf(count));
}

/** Deletes a batch of expired counts, the oldest first. Skips locked rows. Returns whether there may be more. */
export async function deleteExpiredCounts(db: TenantDatabase): Promise<boolean> {
  const deleted = await db.query(
    `delete from auth_attempts where tenant_id = $1 and (kind, subject_hash) in (
       select kind, subject_hash from auth_attempts
        where tenant_id = $1 and expires_at <= now() order by expires_at limit ${batchSize} for update skip locked)
     returning 1`,
  );
  return deleted.length === batchSize;
}
