/**
 * One page of a query, by keyset: the rows after the place a cursor holds, in a declared order.
 */
import type { Knex } from 'knex';
import { decodeCursor, encodeCursor, type Page } from '../http/paging.ts';

/** An order of a list: one column that is never null, ties broken by id. Times are kept in milliseconds, so they compare. */
export interface Sort {
  name: string;
  column: string;
  direction: 'asc' | 'desc';
}

export const newestFirst: Sort = { name: 'newest', column: 'createdAt', direction: 'desc' };

/**
 * Answers one page. The query selects from `table` (with its tenant already in it) and its rows have `id`
 * and the sort's column.
 * @throws invalid_request (400) for a cursor of another list
 */
export async function paginate<R extends object>(
  query: Knex.QueryBuilder<R, R[]>,
  table: string,
  { limit, cursor }: { limit: number; cursor?: string },
  sort: Sort = newestFirst,
): Promise<Page<R>> {
  const column = `${table}.${sort.column}`;
  const id = `${table}.id`;
  if (cursor !== undefined) {
    const [, value, lastId] = decodeCursor(cursor, sort.name);
    const operator = sort.direction === 'asc' ? '>' : '<';
    query.whereRaw(`(??, ??) ${operator} (?, ?)`, [column, id, value, lastId]);
  }
  const rows = (await query
    .orderBy([
      { column, order: sort.direction },
      { column: id, order: sort.direction },
    ])
    .limit(limit + 1)) as R[];
  const items = rows.slice(0, limit);
  const last = items.at(-1) as Record<string, string> | undefined;
  const nextCursor =
    rows.length > limit && last ? encodeCursor([sort.name, last[sort.column] as string, last.id as string]) : null;
  return { items, nextCursor };
}
