/**
 * Conditions and orders over the tables of measures.
 */
import type { TenantDatabase } from '@carton/runtime';
import { allOf, type Condition, type Order } from '../conditions-store.ts';
import type { ProductMeasure } from './extensions.ts';
import { isListedIn, type ProductList } from './store.ts';

/** True for a row with this key and a number in the range. */
export function rangeOf(
  { name, column, key, keySql = {} }: ProductMeasure,
  alias: string,
  { values, min, max }: { values: readonly unknown[]; min: number | undefined; max: number | undefined },
): Condition {
  const compare = (left: string, operator: string, type: string, value: unknown): Condition => ({
    key: `${left} ${operator}`,
    values: [value],
    sql: (at) => {
      const parameter = `$${at}::${type}`;
      return `${alias}.${left} ${operator} ${keySql[left]?.(parameter) ?? parameter}`;
    },
  });
  const inRange = allOf([
    ...Object.entries(key).map(([each, type], index) => compare(each, '=', type, values[index])),
    ...(min === undefined ? [] : [compare(column, '>=', 'bigint', min)]),
    ...(max === undefined ? [] : [compare(column, '<=', 'bigint', max)]),
  ]);
  return { ...inRange, key: `${name} ${inRange.key}` };
}

/** The products with a number in a range. */
export function listOfRange({ table }: ProductMeasure, range: Condition): ProductList {
  const inTenant = (at: number) => `listed.tenant_id = $1 and ${range.sql(at)}`;
  return {
    isListed: { ...range, sql: (at) => isListedIn(table, inTenant(at)) },
    ids: {
      key: `ids of ${range.key}`,
      values: range.values,
      sql: (at) => `select listed.product_id from ${table} listed where ${inTenant(at)}`,
    },
  };
}

/** The order of products by their numbers; those without one are left out. */
export function orderByMeasure({ table, column, isHidden }: ProductMeasure, name: string, range: Condition): Order {
  const number = `select measured.${column} as number from ${table} measured
                   where measured.tenant_id = $1 and measured.product_id = $2 and ${range.sql(3)}`;
  return {
    ...(isHidden && {
      async findHidden(db: TenantDatabase, id: string) {
        const [row] = await db.query<{ number: number }>(number, [id, ...range.values]);
        return row?.number ?? null;
      },
    }),
    name,
    column: `measured.${column}`,
    id: 'measured.product_id',
    direction: name.startsWith('-') ? 'desc' : 'asc',
    from: `products join ${table} measured on measured.tenant_id = products.tenant_id and measured.product_id = products.id`,
    joined: { ...range, sql: (at) => `measured.tenant_id = $1 and ${range.sql(at)}` },
  };
}
