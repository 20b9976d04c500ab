/**
 * Keyset pagination of a query: the rows after a cursor's position, in a declared order.
 */
import type { Knex } from 'knex';
import { quoteName, toSnakeCase } from '../db/connection.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { decodeCursor, type Page, pageOfRows } from '../http/paging.ts';

/**
 * The order of a list: by one column that is never null, with ties broken by id, or by id alone. Times are stored with
 * millisecond precision, so that the value in a cursor compares exactly.
 */
export interface Sort {
  name: string;
  column: string;
  direction: 'asc' | 'desc';
}

export const newestFirst: Sort = { name: 'newest', column: 'createdAt', direction: 'desc' };

/**
 * Returns one page. The query selects from `table` (already restricted to the tenant), and its rows have `id` and the
 * sort's column.
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
    const position = keys.length === 1 ? [lastId] : [value, lastId];
    const row = (placeholder: string) => `(${keys.map(() => placeholder).join(', ')})`;
    query.whereRaw(`${row('??')} ${operator} ${row('?')}`, [...keys, ...position]);
  }
  const rows = (await query.orderBy(keys.map((column) => ({ column, order: sort.direction }))).limit(limit + 1)) as R[];
  return pageOfRows(rows, limit, (last) => {
    const { id, [sort.column]: value } = last as Record<string, string>;
    return [sort.name, value as string, id as string];
  });
}

/** The position of a row in a list: its id and creation time. */
export interface RowPosition {
  id: string;
  createdAt: string;
}

/** For each column, the values it may have in the listed rows. */
export type ColumnValues = Record<string, readonly (string | boolean)[]>;

/**
 * Returns one page, newest first, of the rows whose columns each have one of a few values. Reads the first rows of each
 * combination of values and merges them, so that even a rare combination reads no other rows. Requires the index
 * `(tenant_id, <the columns of choices, in any order>, created_at, id)`.
 * @throws invalid_request (400) for a cursor of another list
 */
export async function paginateChoices(
  db: TenantDatabase,
  table: string,
  choices: ColumnValues,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<RowPosition>> {
  const combinations = Object.entries(choices).reduce<(string | boolean)[][]>(
    (prefixes, [, values]) => prefixes.flatMap((prefix) => values.map((value) => [...prefix, value])),
    [[]],
  );
  const columns = Object.keys(choices);
  const values = columns.map((_, at) => combinations.map((combination) => combination[at]));
  const position = cursor === undefined ? [] : decodeCursor(cursor, newestFirst.name).slice(1);
  const rows = await db.query<RowPosition>(choicesText(table, choices, cursor !== undefined), [
    ...values,
    limit + 1,
    ...position,
  ]);
  return pageOfRows(rows, limit, ({ createdAt, id }) => [newestFirst.name, createdAt, id]);
}

function choicesText(table: string, choices: ColumnValues, after: boolean): string {
  const columns = Object.entries(choices);
  const arrays = columns.map(([, [value]], at) => `$${at + 2}::${typeof value === 'boolean' ? 'boolean' : 'text'}[]`);
  const names = columns.map(([column]) => toSnakeCase(column));
  // Where all rows have one value, the planner takes an equality for true of every row, and the index of all rows for as
  // good: reading another value would then read all rows. A range, which is true if the equality is, decides it.
  const conditions = [...names.map((name) => `${name} = choice.${name}`), `${names[0]} >= choice.${names[0]}`];
  const limit = `$${columns.length + 2}`;
  const position = after
    ? `and (created_at, id) < ($${columns.length + 3}::timestamptz, $${columns.length + 4}::uuid)`
    : '';
  return `
    select found.id, found.created_at
      from unnest(${arrays.join(', ')}) as choice (${names.join(', ')})
     cross join lateral (
       select id, created_at from ${quoteName(table)} listed
        where listed.tenant_id = $1 ${conditions.map((condition) => `and listed.${condition}`).join(' ')} ${position}
        order by created_at desc, id desc limit ${limit}
     ) found
     order by found.created_at desc, found.id desc limit ${limit}`;
}
