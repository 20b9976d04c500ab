/**
 * The job that writes the events of scheduled publication, and archives products whose time is over, so that the indexes
 * of published products hold none of them.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { publishProductChange } from '../events.ts';
import { rewriteTitleWords } from '../search/service.ts';
import { archiveIfOver, batchSize, lockDueProducts } from './store.ts';

/** Archives a product if its time is over, and publishes the event. */
async function applySchedule(tx: TenantDatabase, productId: string): Promise<void> {
  const product = await archiveIfOver(tx, productId);
  if (product.status === 'archived') await rewriteTitleWords(tx, productId);
  await publishProductChange(tx, product);
}

/** Each batch of products and its events are one transaction, so each change has one event. */
export async function applySchedules(db: TenantDatabase): Promise<void> {
  let count: number;
  do {
    count = await db.transaction(async (tx) => {
      const due = await lockDueProducts(tx);
      for (const id of due) await applySchedule(tx, id);
      return due.length;
    });
  } while (count === batchSize);
}

export const applyDueSchedules = job({ name: 'product.apply-schedules', everySeconds: 30, run: applySchedules });
