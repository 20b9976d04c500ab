/**
 * Numbers of products that other packages store, such as the lowest price: shoppers filter products by a range of them, and
 * sort by them.
 */
import { extensionPoint, type TenantDatabase, type TSchema, Type } from '@carton/runtime';
import { allOf, type Condition, type Order } from '../conditions-store.ts';
import { completePriceRequest, type PriceRequest, type ViewRequest } from '../viewers/terms.ts';
import { isListedIn } from './lists-store.ts';
import type { ProductList } from './service.ts';

export interface ProductMeasure {
  /** `price`, for the parameters `priceMin` and `priceMax`, and the sorts `price` and `-price`. */
  readonly name: string;
  /** What the sorts do, in the description of `sort`. */
  readonly sorted: string;
  /** Schemas of the ends of a range; the values are integers. Without them, there is none. */
  readonly min?: TSchema;
  readonly max?: TSchema;
  /** Whether shoppers may not know the number, only the order: cursors do not have it. */
  readonly isHidden?: boolean;
  /**
   * The table with a row for each product that has a number: `product_id`, the number, and the columns of the key. It has
   * no other column of `products` than `tenant_id`, the primary key `(tenant_id, product_id, <key>)` and the index
   * `(tenant_id, <key>, <column>, product_id)`.
   */
  readonly table: string;
  readonly column: string;
  /** Columns that choose among the numbers of a product, such as the currency, with their types. */
  readonly key: Readonly<Record<string, 'text' | 'uuid'>>;
  /** SQL of a column of the key that depends on other rows, of the parameter with its value; `$1` is the tenant. */
  readonly keySql?: Readonly<Record<string, (parameter: string) => string>>;
  /** The values of the key for a request. May throw invalid_request (400), as for an unknown region. */
  findKey(db: TenantDatabase, request: PriceRequest): Promise<readonly unknown[]>;
}

export const productMeasures = extensionPoint<ProductMeasure>('product.measures');

/** The query parameters of the measures of a box. */
export function measureParameters(measures: readonly ProductMeasure[]): Record<string, TSchema> {
  return Object.fromEntries(
    measures.flatMap(({ name, min, max }): [string, TSchema][] => [
      ...(min ? [[`${name}Min`, Type.Optional(min)] as [string, TSchema]] : []),
      ...(max ? [[`${name}Max`, Type.Optional(max)] as [string, TSchema]] : []),
    ]),
  );
}

/** The values of `sort` that the measures of a box add, with a description. */
export function sortsOfMeasures(measures: readonly ProductMeasure[]): { names: string[]; description: string } {
  return {
    names: measures.flatMap(({ name }) => [name, `-${name}`]),
    description: measures.map(({ sorted }) => sorted).join('. '),
  };
}

/** How a request uses measures. */
export interface UsedMeasures {
  /** The order, if the request sorts by a measure; with its range. */
  order: Order | null;
  /** The ranges of the others. */
  ranges: ProductList[];
}

/** The measures that a query uses. */
export async function resolveMeasures(
  db: TenantDatabase,
  query: ViewRequest & { sort: string },
): Promise<UsedMeasures> {
  const values = query as unknown as Record<string, number | undefined>;
  const used = productMeasures.of(db).flatMap((measure) => {
    const { name } = measure;
    const [min, max] = [values[`${name}Min`], values[`${name}Max`]];
    const isSort = query.sort === name || query.sort === `-${name}`;
    return isSort || min !== undefined || max !== undefined ? [{ measure, min, max, isSort }] : [];
  });
  if (used.length === 0) return { order: null, ranges: [] };
  const { price: request } = await completePriceRequest(db, query);
  const resolved = await Promise.all(
    used.map(async ({ measure, min, max, isSort }) => {
      const values = await measure.findKey(db, request);
      return { measure, isSort, range: (alias: string) => rangeOf(measure, alias, { values, min, max }) };
    }),
  );
  const sorting = resolved.find(({ isSort }) => isSort);
  return {
    order: sorting ? orderOf(sorting.measure, query.sort, sorting.range('measured')) : null,
    ranges: resolved.flatMap((each) => (each === sorting ? [] : [listOfRange(each.measure, each.range('listed'))])),
  };
}

/** True for a row with this key and a number in the range. */
function rangeOf(
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

function listOfRange({ table }: ProductMeasure, range: Condition): ProductList {
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

function orderOf({ table, column, isHidden }: ProductMeasure, name: string, range: Condition): Order {
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
