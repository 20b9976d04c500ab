/**
 * One page of a query, by keyset: the rows after the place a cursor holds, in a declared order.
 */
import type { Knex } from 'knex';
import { quoteName, toSnakeCase } from '../db/connection.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { decodeCursor, type Page, pageOfRows } from '../http/paging.ts';

/**
 * An order of a list: one column that is never null, ties broken by id, or the id alone. Times are kept in milliseconds,
 * so they compare.
 */
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
  const id = `${table}.id`;
  const keys = sort.column === 'id' ? [id] : [`${table}.${sort.column}`, id];
  if (cursor !== undefined) {
    const [, value, lastId] = decodeCursor(cursor, sort.name);
    const operator = sort.direction === 'asc' ? '>' : '<';
    const place = keys.length === 1 ? [lastId] : [value, lastId];
    const row = (mark: string) => `(${keys.map(() => mark).join(', ')})`;
    query.whereRaw(`${row('??')} ${operator} ${row('?')}`, [...keys, ...place]);
  }
  const rows = (await query.orderBy(keys.map((column) => ({ column, order: sort.direction }))).limit(limit + 1)) as R[];
  return pageOfRows(rows, limit, (last) => {
    const { id, [sort.column]: value } = last as Record<string, string>;
    return [sort.name, value as string, id as string];
  });
}

/** The place a row has in a list: its id and when it was made. */
export interface PlacedRow {
  id: string;
  createdAt: string;
}

/** The values a column may have; where it may have any of several, all of them. */
export type Choices = Record<string, readonly (string | boolean)[]>;

/**
 * One page, newest first, of the rows whose columns each have one of a few values: the first of each combination of
 * values, and of these the first. However rare a combination is, no row of another is read. Wants the index
 * `(tenant_id, <the columns of choices, in any order>, created_at, id)`.
 * @throws invalid_request (400) for a cursor of another list
 */
export async function paginateChoices(
  db: TenantDatabase,
  table: string,
  choices: Choices,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<PlacedRow>> {
  const combinations = Object.entries(choices).reduce<(string | boolean)[][]>(
    (found, [, values]) => found.flatMap((before) => values.map((value) => [...before, value])),
    [[]],
  );
  const columns = Object.keys(choices);
  const values = columns.map((_, at) => combinations.map((combination) => combination[at]));
  const place = cursor === undefined ? [] : decodeCursor(cursor, newestFirst.name).slice(1);
  const rows = await db.query<PlacedRow>(choicesText(table, choices, cursor !== undefined), [
    ...values,
    limit + 1,
    ...place,
  ]);
  return pageOfRows(rows, limit, ({ createdAt, id }) => [newestFirst.name, createdAt, id]);
}

function choicesText(table: string, choices: Choices, after: boolean): string {
  const columns = Object.entries(choices);
  const arrays = columns.map(([, [value]], at) => `$${at + 2}::${typeof value === 'boolean' ? 'boolean' : 'text'}[]`);
  const names = columns.map(([column]) => toSnakeCase(column));
  const limit = `$${columns.length + 2}`;
  const place = after
    ? `and (created_at, id) < ($${columns.length + 3}::timestamptz, $${columns.length + 4}::uuid)`
    : '';
  return `
    select found.id, found.created_at
      from unnest(${arrays.join(', ')}) as choice (${names.join(', ')})
     cross join lateral (
       select id, created_at from ${quoteName(table)} listed
        where listed.tenant_id = $1 ${names.map((name) => `and listed.${name} = choice.${name}`).join(' ')} ${place}
        order by created_at desc, id desc limit ${limit}
     ) found
     order by found.created_at desc, found.id desc limit ${limit}`;
}
