/**
 * All rows of a query, however many: read in batches by keyset, for answers that are streamed. Between two batches no
 * connection is held and no transaction is open, so a slow reader keeps nobody waiting. Each batch is what is there
 * when it is read: a row that is there all the time comes once, one that comes or goes meanwhile may be missing.
 */
import type { Knex } from 'knex';
import { newestFirst, paginate, type Sort } from './paging.ts';

/** Rows of a batch, unless told. */
const usualBatch = 500;

/**
 * The rows of a query, in a declared order whose column does not change.
 * @param query makes the query anew for each batch: it selects from `table` (with its tenant already in it), and its
 * rows have `id` and the sort's column
 * @example for await (const product of eachRow(() => db.table<Product>('products'), 'products')) yield line(product);
 */
export async function* eachRow<R extends object>(
  query: () => Knex.QueryBuilder<R, R[]>,
  table: string,
  { sort = newestFirst, batch = usualBatch }: { sort?: Sort; batch?: number } = {},
): AsyncGenerator<R, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await paginate(query(), table, { limit: batch, cursor }, sort);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
