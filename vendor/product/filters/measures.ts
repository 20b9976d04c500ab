/**
 * Numbers of products that other packages store, such as the lowest price: shoppers filter products by a range of them, and
 * sort by them.
 */
import { type TenantDatabase, type TSchema, Type } from '@carton/runtime';
import type { Order } from '../conditions-store.ts';
import { completePriceRequest, type ViewRequest } from '../viewers/terms.ts';
import { type ProductMeasure, productMeasures } from './extensions.ts';
import { listOfRange, orderByMeasure, rangeOf } from './measures-store.ts';
import type { ProductList } from './store.ts';

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
interface UsedMeasures {
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
    order: sorting ? orderByMeasure(sorting.measure, query.sort, sorting.range('measured')) : null,
    ranges: resolved.flatMap((each) => (each === sorting ? [] : [listOfRange(each.measure, each.range('listed'))])),
  };
}
