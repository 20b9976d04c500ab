/**
 * Iterates over all rows of a query in keyset batches, for streamed responses. Between batches no connection is held and
 * no transaction is open, so a slow reader blocks nobody. Each batch is read on its own snapshot: a row that exists
 * throughout is returned exactly once; one inserted or deleted meanwhile may be missing.
 */
import type { Knex } from 'knex';
import { newestFirst, paginate, type Sort } from './paging.ts';

/** Rows per batch. */
const defaultBatch = 500;

/**
 * Yields the rows of a query, in a declared order whose column never changes.
 * @param query builds a new query for each batch: it selects from `table` (already restricted to the tenant), and its
 * rows have `id` and the sort's column
 * @example for await (const product of eachRow(() => db.table<Product>('products'), 'products')) yield line(product);
 */
export async function* eachRow<R extends object>(
  query: () => Knex.QueryBuilder<R, R[]>,
  table: string,
  { sort = newestFirst, batch = defaultBatch }: { sort?: Sort; batch?: number } = {},
): AsyncGenerator<R, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await paginate(query(), table, { limit: batch, cursor }, sort);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
