/**
 * Asynchronous work on many items with limited concurrency.
 */

/**
 * Like `Promise.all(items.map(work))` with at most `limit` calls in flight. After the first error no further call begins,
 * and the error is thrown once those in flight have ended.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let failed: { error: unknown } | undefined;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(items[index] as Item);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failed) throw failed.error;
  return results;
}
