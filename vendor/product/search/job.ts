/**
 * The job that writes the words of products that earlier releases have written without SKUs and folded titles (`words.ts`):
 * those of before the first box that knows such words, and later those that a box of an earlier release writes during a
 * rolling upgrade or after a rollback. Such a box notes nothing, so what has changed lately is checked for as long as
 * there is a store. A migration would take long in a large one.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { addLackingTags } from '../tags/service.ts';
import {
  batchSize,
  composeDetails,
  findCheckTimes,
  listChanged,
  listSearchedTextsAfter,
  lockProduct,
  lockProgress,
  noteChecked,
  noteProgress,
} from './progress-store.ts';
import { rewriteTitleWords } from './service.ts';
import { addWords, listLackingWords, listSearchedTexts } from './store.ts';
import { wordsOfTexts } from './words.ts';

/** Writes the words of a batch of products of before there were such words. @returns whether there may be more */
async function fillBatch(tx: TenantDatabase): Promise<boolean> {
  const progress = await lockProgress(tx);
  if (!progress || progress.isComplete) return false;
  const batch = await listSearchedTextsAfter(tx, progress.filledTo);
  for (const product of batch) await addWords(tx, product.id, wordsOfTexts(product));
  await noteProgress(tx, { filledTo: batch.at(-1)?.id ?? null, isComplete: batch.length < batchSize });
  return batch.length === batchSize;
}

/** The products among these that lack words. */
async function lackingWords(db: TenantDatabase, ids: readonly string[]): Promise<string[]> {
  const products = await listSearchedTexts(db, ids);
  const wanted = products.flatMap((product) => wordsOfTexts(product).map((word) => [product.id, word] as const));
  return wanted.length === 0 ? [] : listLackingWords(db, wanted);
}

/** Rewrites the words of a product as it is now. */
async function mendWords(db: TenantDatabase, productId: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (await lockProduct(tx, productId)) await rewriteTitleWords(tx, productId);
  });
}

/** Mends the words of products that have changed, or whose variants have, since the last check. */
async function checkChanged(db: TenantDatabase): Promise<void> {
  const times = await findCheckTimes(db);
  if (!times) return;
  for (const source of ['products', 'variants'] as const) {
    let after = { changedAt: times.since, id: '00000000-0000-0000-0000-000000000000' };
    for (let isMore = true; isMore; ) {
      const changed = await listChanged(db, source, after);
      const ids = [...new Set(changed.map(({ productId }) => productId))];
      for (const id of await lackingWords(db, ids)) await mendWords(db, id);
      await addLackingTags(db, ids);
      await composeDetails(db, ids);
      after = changed.at(-1) ?? after;
      isMore = changed.length === batchSize;
    }
  }
  await noteChecked(db, times.now);
}

export async function fillWords(db: TenantDatabase): Promise<void> {
  while (await db.transaction(fillBatch));
  await checkChanged(db);
}

export const fillSearchWords = job({ name: 'product.fill-search-words', everySeconds: 600, run: fillWords });
