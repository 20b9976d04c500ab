/**
 * Doing a thing for many, a few at a time.
 */

/**
 * Like `Promise.all(items.map(work))` with at most `limit` under way. After the first failure no new one begins, those
 * under way are waited for, and the failure is thrown: nothing goes on behind the caller's back.
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
