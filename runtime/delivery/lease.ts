/**
 * Leases: work that is due is a row, and a worker claims it for a time before it does it. A worker that dies loses the
 * lease by doing nothing, and another one does the work. Two workers never claim the same row: rows that one is claiming
 * are skipped by others (`for update skip locked`).
 *
 * The statement that claims also marks the row, with an id or a count of attempts, and later changes require this mark:
 * so nothing is recorded by a worker that has lost its lease. Leases are not renewed, since an attempt takes less time.
 */

/** Seconds of a lease. */
export const leaseSeconds = 60;
/** Milliseconds of an attempt; less than the lease, so that two workers rarely make an attempt at the same time. */
export const attemptTimeout = 40_000;

/** Rows of work, with a column `next_attempt_at`. */
export interface DueWork {
  table: string;
  /** The column that identifies a row. */
  key: string;
  /** SQL: whether a row waits, by the name that it has in the statement. */
  waiting?: (row: string) => string;
  /** SQL: what else holds for the rows that are claimed, which are named `due`. */
  where?: string;
  /** The column with the end of a lease. Without it, `next_attempt_at` is moved to that end. */
  leasedUntil?: string;
  /** Columns within which work is done in the order of `position` and `key`: a row is not due while an earlier one waits. */
  inOrder?: readonly string[];
  /** SQL of the order in which rows are claimed. */
  order: string;
  limit: number | string;
}

/** SQL that selects and locks the keys of the rows that are due, for the statement that claims them. */
export function selectDue({ table, key, waiting, where, leasedUntil, inOrder, order, limit }: DueWork): string {
  const conditions = ['due.next_attempt_at <= now()'];
  if (waiting) conditions.push(waiting('due'));
  if (where) conditions.push(where);
  if (leasedUntil) conditions.push(`(due.${leasedUntil} is null or due.${leasedUntil} <= now())`);
  if (inOrder) {
    const same = inOrder.map((column) => `earlier.${column} = due.${column}`);
    if (waiting) same.push(waiting('earlier'));
    conditions.push(`not exists (
      select from ${table} earlier
       where ${same.join(' and ')}
         and (earlier.position, earlier.${key}) < (due.position, due.${key}))`);
  }
  return `select ${key} from ${table} due where ${conditions.join(' and ')}
           order by ${order} limit ${limit} for update skip locked`;
}
