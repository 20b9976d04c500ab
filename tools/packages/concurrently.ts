// Work on the items of a list, several at a time.

import { availableParallelism } from 'node:os';

/** Maps a list concurrently, one item per processor at a time. Results are in the order of the list. */
export async function mapConcurrently<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return results;
}
