/**
 * SQL conditions over `products` and orders of them: visibility, filters and search.
 */
import type { TenantDatabase } from '@carton/runtime';

export interface Condition {
  /** Equal for equal SQL text, so that statements stay prepared. */
  readonly key: string;
  readonly values: readonly unknown[];
  /** The condition with its values numbered from this parameter; `$1` is the tenant. */
  sql(firstParameter: number): string;
}

/** True for every row. */
export const always: Condition = { key: '', values: [], sql: () => 'true' };

/** True when a column has a value. */
export function equals(column: string, value: unknown): Condition {
  return { key: column, values: [value], sql: (at) => `${column} = $${at}` };
}

/** What shoppers may see of the rows `products`, unless a package hides it. The first part is that of the indexes. */
export const published = `products.status = 'published' and products.deleted_at is null
  and coalesce(products.publish_at <= now(), true) and coalesce(products.unpublish_at > now(), true)`;

/** What shoppers may see, as a condition. */
export const isPublished: Condition = { key: 'published', values: [], sql: () => published };

export const notDeleted: Condition = { key: 'not deleted', values: [], sql: () => 'deleted_at is null' };

/** True when all of them hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return always;
  return {
    key: conditions.map(({ key }) => key).join(' '),
    values: conditions.flatMap(({ values }) => values),
    sql(firstParameter) {
      let next = firstParameter;
      const parts = conditions.map((condition) => {
        const own = condition.sql(next);
        next += condition.values.length;
        return own;
      });
      return parts.join(' and ');
    },
  };
}

/** A condition for a query builder: each value is a `?`, in order. */
export interface RawCondition {
  sql: string;
  values: readonly never[];
}

export function rawCondition(tenantId: string, condition: Condition): RawCondition {
  const values: unknown[] = [];
  const sql = condition.sql(2).replaceAll(/\$(\d+)/g, (_, number) => {
    values.push(number === '1' ? tenantId : condition.values[Number(number) - 2]);
    return '?';
  });
  return { sql, values: values as never[] };
}

/** A sort order of products: by a column that is never null, then by id. */
export interface Order {
  /** With which cursors begin: the value of the parameter `sort`, followed by the collation in the order of a language. */
  readonly name: string;
  readonly column: string;
  readonly id: string;
  readonly direction: 'asc' | 'desc';
  /** The rows to be sorted: `products`, joined with the table of the column if that is another. */
  readonly from: string;
  /** Chooses the rows of the joined table. */
  readonly joined: Condition;
  /** Whether there are indexes of the order for each brand and type. */
  readonly isIndexedByColumns?: true;
  /** Reads the value of the column of a product, null if it has none; for an order whose cursors do not have the value. */
  findHidden?(db: TenantDatabase, id: string): Promise<number | null>;
}

const own = { id: 'products.id', from: 'products', joined: always, isIndexedByColumns: true } as const;

export const sorts = {
  newest: { ...own, name: 'newest', column: 'products.created_at', direction: 'desc' },
  oldest: { ...own, name: 'oldest', column: 'products.created_at', direction: 'asc' },
  title: { ...own, name: 'title', column: 'products.title_key', direction: 'asc' },
} as const satisfies Record<string, Order>;

/** True for an order by the time of creation, which the tables of lists hold too. */
export function isByTime({ column }: Order): boolean {
  return column === sorts.newest.column;
}

/** Rows after a cursor's position. @param place the column's value there, and the id; null for all rows */
export function after({ column, id, direction }: Order, place: readonly unknown[] | null): Condition {
  if (place === null) return always;
  const operator = direction === 'asc' ? '>' : '<';
  return { key: 'after', values: place, sql: (at) => `(${column}, ${id}) ${operator} ($${at}, $${at + 1})` };
}

/** The end of a statement that reads the first rows of an order. */
export function orderBy({ column, id, direction }: Order): string {
  return `order by ${column} ${direction}, ${id} ${direction}`;
}

/** Exactly these products. */
export function idsIn(ids: readonly string[]): Condition {
  return { key: 'ids', values: [ids], sql: (at) => `id = any($${at})` };
}

const statements = new Map<string, string>();

/** Caches the text of a statement by name, so that it stays prepared. */
export function statement(name: string, make: () => string): string {
  let text = statements.get(name);
  if (text === undefined) {
    text = make();
    statements.set(name, text);
  }
  return text;
}
