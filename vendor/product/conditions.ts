/**
 * SQL conditions over `products`: visibility, filters and search.
 */

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

/** A sort order of products: by a column, then by id. */
export interface Order {
  column: 'created_at' | 'title_key';
  direction: 'asc' | 'desc';
}

export const sorts = {
  newest: { column: 'created_at', direction: 'desc' },
  oldest: { column: 'created_at', direction: 'asc' },
  title: { column: 'title_key', direction: 'asc' },
} as const satisfies Record<string, Order>;

/** Rows after a cursor's position. @param place the column's value there, and the id */
export function after({ column, direction }: Order, place: readonly unknown[]): Condition {
  const operator = direction === 'asc' ? '>' : '<';
  return { key: 'after', values: place, sql: (at) => `(${column}, id) ${operator} ($${at}, $${at + 1})` };
}
