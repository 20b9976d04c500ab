/**
 * Incremental reads of a list (`updatedAfter`): every row changed or deleted after a given time, oldest change first,
 * without gaps.
 *
 * `updated_at` is the start time of the transaction that changed the row (`now()`). A transaction that started earlier
 * may commit later, after a client has already read past its time. A page therefore ends before the oldest open
 * transaction: no row with an earlier time can still appear. Changes arrive slightly late, but completely.
 *
 * Deletions are stored for a limited time. A client that was away for longer gets 410 and must read the complete list
 * again, by passing a time before the store was created: no deletion from before then can matter to it.
 */
import type { Knex } from 'knex';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { changesForgotten, type Deletion, deletionRetentionDays } from '../http/integration.ts';
import { type CursorPosition, decodeCursor, encodeCursor, type Page } from '../http/paging.ts';
import { invalidRequest } from '../http/problems.ts';

export interface IntegrationPage<Item> extends Page<Item> {
  deleted?: Deletion[];
  updatedUntil?: string;
}

const order = 'updated';

/** @throws invalid_request (400) */
export function rejectFilters(filters: Record<string, unknown>): void {
  if (Object.values(filters).every((value) => value === undefined)) return;
  const detail = 'cannot be combined with other filters: rows that a filter excludes would be missed';
  throw invalidRequest(`updatedAfter ${detail}`, { errors: [{ in: 'query', pointer: '/updatedAfter', detail }] });
}

/** Where the changes of a list are recorded. */
export interface ChangeSource {
  /** The table whose `updated_at` records them, indexed by `(tenant_id, updated_at, <id>)`. */
  table: string;
  /** Its column with the id of the listed resource; defaults to `id`. */
  id?: string;
  /** The resource whose deletions are reported; defaults to `table`. */
  resource?: string;
}

/**
 * Returns one page of the changes after a given time.
 * @param rows selects from the table: at least `updated_at` and the id, as `id`
 * @throws invalid_request (400) for a cursor of another list, changes_forgotten (410)
 */
export async function readChanges<R extends { id: string; updatedAt: string }>(
  db: TenantDatabase,
  rows: Knex.QueryBuilder<R, R[]>,
  { table, id: idColumn = 'id', resource = table }: ChangeSource,
  { limit, cursor, updatedAfter }: { limit: number; cursor?: string; updatedAfter: string },
): Promise<IntegrationPage<R>> {
  const [, time, id, startedAt] = cursor === undefined ? [] : decodeCursor(cursor, order);
  const isFullRead = await readsCompleteList(db, { updatedAfter, time, startedAt });
  // Queried before the rows: what commits in between is included, and everything else is later than this.
  const completeUntil = await db.committedUntil();
  const fullReadStart = isFullRead ? (startedAt ?? completeUntil) : undefined;
  const [changed, deleted] = await Promise.all([
    between(rows, table, ['updated_at', idColumn], { time: time ?? updatedAfter, id, completeUntil, limit }),
    between(
      db.table<Deletion>('deletions').where('resource', resource) as Knex.QueryBuilder<Deletion, Deletion[]>,
      'deletions',
      ['deleted_at', 'id'],
      { time: time ?? updatedAfter, id, completeUntil, limit },
    ),
  ]);
  const changes = [
    ...changed.map((item) => ({ time: item.updatedAt, id: item.id, item, deletion: null })),
    ...deleted.map((deletion) => ({ time: deletion.deletedAt, id: deletion.id, item: null, deletion })),
  ].sort((one, other) => (one.time === other.time ? compare(one.id, other.id) : compare(one.time, other.time)));
  const page = changes.slice(0, limit);
  const last = page.at(-1);
  const isLast = changes.length <= limit || !last;
  // The next page may hold further changes with the time of the last one.
  const reportedUntil = isLast ? completeUntil : before(last.time);
  return {
    items: page.flatMap(({ item }) => item ?? []),
    deleted: page.flatMap(({ deletion }) => {
      if (!deletion) return [];
      const { id, externalId, deletedAt } = deletion;
      return { id, externalId, deletedAt };
    }),
    nextCursor: isLast
      ? null
      : encodeCursor([order, last.time, last.id, ...(fullReadStart ? [fullReadStart] : [])] as CursorPosition),
    // A client that abandons a full read has to start it again: a later time might be refused with 410.
    updatedUntil: latest(isFullRead && isForgotten(reportedUntil) ? updatedAfter : reportedUntil, updatedAfter),
  };
}

/** Whether deletions of that time may no longer be stored. */
function isForgotten(time: string): boolean {
  return Date.parse(time) < Date.now() - deletionRetentionDays * 86_400_000;
}

/**
 * Whether the client reads the complete list, from before the tenant was created. Such a read can miss a deletion only
 * when it pauses too long between two pages.
 * @param position where the page begins: the time in its cursor and, for a full read, when its first page was read
 * @throws changes_forgotten (410)
 */
async function readsCompleteList(
  db: TenantDatabase,
  { updatedAfter, time, startedAt }: { updatedAfter: string; time?: string | number; startedAt?: string },
): Promise<boolean> {
  if (!isForgotten(String(startedAt ?? time ?? updatedAfter))) return startedAt !== undefined;
  if (time === undefined) {
    const [tenant] = await db.query<{ createdAt: string }>('select created_at from tenants where id = $1');
    if (tenant && Date.parse(updatedAfter) < Date.parse(tenant.createdAt)) return true;
  }
  throw changesForgotten(
    `Deletions are reported for ${deletionRetentionDays} days. Read the complete list again, with an updatedAfter before the store was created, and delete every copy that it does not return.`,
  );
}

/** Rows after a cursor's position, or after a time, up to `completeUntil`. */
function between<R extends object>(
  rows: Knex.QueryBuilder<R, R[]>,
  table: string,
  [column, idColumn]: [string, string],
  { time, id, completeUntil, limit }: { time: string | number; id?: string; completeUntil: string; limit: number },
): Promise<R[]> {
  const [timeKey, idKey] = [`${table}.${column}`, `${table}.${idColumn}`];
  if (id === undefined) rows.where(timeKey, '>', time);
  else rows.whereRaw('(??, ??) > (?, ?)', [timeKey, idKey, time, id]);
  return rows
    .where(timeKey, '<=', completeUntil)
    .orderBy([{ column: timeKey }, { column: idKey }])
    .limit(limit + 1) as unknown as Promise<R[]>;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function before(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

function latest(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : new Date(other).toISOString();
}
