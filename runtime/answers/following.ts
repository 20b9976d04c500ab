/**
 * Following a list: what was changed after a moment, oldest change first, with what was deleted, and nothing missed.
 *
 * `updated_at` is when the transaction that changed a row began (`now()`). One that began earlier may be committed
 * later, behind whoever remembers the last time they were told. So a page ends before the oldest transaction that is
 * still open: no row with an earlier time can turn up any more. What is told comes a moment late and is whole.
 *
 * Deletions are kept for a while. Whoever was away for longer is told so, and reads the whole list again: everything
 * after a moment before the shop was opened, where nothing can have been deleted that they were told of.
 */
import type { Knex } from 'knex';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { changesForgotten, type Deletion, deletionRetentionDays } from '../http/integration.ts';
import { type CursorPlace, decodeCursor, encodeCursor, type Page } from '../http/paging.ts';
import { invalidRequest } from '../http/problems.ts';

export interface IntegrationPage<Item> extends Page<Item> {
  deleted?: Deletion[];
  updatedUntil?: string;
}

const order = 'updated';

/** @throws invalid_request (400) */
export function rejectFilters(filters: Record<string, unknown>): void {
  const told = Object.keys(filters).filter((name) => filters[name] !== undefined);
  if (told.length === 0) return;
  const detail = 'is told without any other filter: what a filter leaves out would be missed';
  throw invalidRequest(`updatedAfter ${detail}`, { errors: [{ in: 'query', pointer: '/updatedAfter', detail }] });
}

/** Where the changes of a list are found. */
export interface ChangeSource {
  /** The table whose `updated_at` moves with them, indexed by `(tenant_id, updated_at, <id>)`. */
  table: string;
  /** Its column that has the id of what is listed; `id` unless told. */
  id?: string;
  /** Whose deletions are told; the same table's unless told. */
  resource?: string;
}

/**
 * One page of what was changed after a moment.
 * @param rows selects from the table, at least the id, as `id`, and `updated_at`
 * @throws invalid_request (400) for a cursor of another list, changes_forgotten (410)
 */
export async function followChanges<R extends { id: string; updatedAt: string }>(
  db: TenantDatabase,
  rows: Knex.QueryBuilder<R, R[]>,
  { table, id: idColumn = 'id', resource = table }: ChangeSource,
  { limit, cursor, updatedAfter }: { limit: number; cursor?: string; updatedAfter: string },
): Promise<IntegrationPage<R>> {
  const [, time, id, begun] = cursor === undefined ? [] : decodeCursor(cursor, order);
  const isWhole = await readsWhole(db, { updatedAfter, time, begun });
  // Asked before anything is read: what is committed in between is seen, what is not is later than this.
  const settled = await db.committedUntil();
  const began = isWhole ? (begun ?? settled) : undefined;
  const [changed, deleted] = await Promise.all([
    between(rows, table, ['updated_at', idColumn], { time: time ?? updatedAfter, id, settled, limit }),
    between(
      db.table<Deletion>('deletions').where('resource', resource) as Knex.QueryBuilder<Deletion, Deletion[]>,
      'deletions',
      ['deleted_at', 'id'],
      { time: time ?? updatedAfter, id, settled, limit },
    ),
  ]);
  const told = [
    ...changed.map((item) => ({ time: item.updatedAt, id: item.id, item, deletion: null })),
    ...deleted.map((deletion) => ({ time: deletion.deletedAt, id: deletion.id, item: null, deletion })),
  ].sort((one, other) => (one.time === other.time ? compare(one.id, other.id) : compare(one.time, other.time)));
  const page = told.slice(0, limit);
  const last = page.at(-1);
  const isLast = told.length <= limit || !last;
  // Others of the last one's time may stand on the next page.
  const toldUntil = isLast ? settled : before(last.time);
  return {
    items: page.flatMap(({ item }) => item ?? []),
    deleted: page.flatMap(({ deletion }) => {
      if (!deletion) return [];
      const { id, externalId, deletedAt } = deletion;
      return { id, externalId, deletedAt };
    }),
    nextCursor: isLast ? null : encodeCursor([order, last.time, last.id, ...(began ? [began] : [])] as CursorPlace),
    // Who breaks the reading of a whole list off goes on where that is not refused: from its beginning.
    updatedUntil: latest(isWhole && isForgotten(toldUntil) ? updatedAfter : toldUntil, updatedAfter),
  };
}

/** Whether deletions of that moment may have been removed. */
function isForgotten(time: string): boolean {
  return Date.parse(time) < Date.now() - deletionRetentionDays * 86_400_000;
}

/**
 * Whether the whole list is read, since before the shop was opened. Then deletions are missed only by who stays away
 * between two pages.
 * @param place where the page begins: the time of its cursor, and when the first page was read, of a whole list
 * @throws changes_forgotten (410)
 */
async function readsWhole(
  db: TenantDatabase,
  { updatedAfter, time, begun }: { updatedAfter: string; time?: string | number; begun?: string },
): Promise<boolean> {
  if (!isForgotten(String(begun ?? time ?? updatedAfter))) return begun !== undefined;
  if (time === undefined) {
    const [tenant] = await db.query<{ createdAt: string }>('select created_at from tenants where id = $1');
    if (tenant && Date.parse(updatedAfter) < Date.parse(tenant.createdAt)) return true;
  }
  throw changesForgotten(
    `Deletions are known for ${deletionRetentionDays} days. Ask with a moment before the shop was opened, and drop what you have and are not told of.`,
  );
}

/** Rows after a place, or after a moment, that are settled. */
function between<R extends object>(
  rows: Knex.QueryBuilder<R, R[]>,
  table: string,
  [column, idColumn]: [string, string],
  { time, id, settled, limit }: { time: string | number; id?: string; settled: string; limit: number },
): Promise<R[]> {
  const [key, own] = [`${table}.${column}`, `${table}.${idColumn}`];
  if (id === undefined) rows.where(key, '>', time);
  else rows.whereRaw('(??, ??) > (?, ?)', [key, own, time, id]);
  return rows
    .where(key, '<=', settled)
    .orderBy([{ column: key }, { column: own }])
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
