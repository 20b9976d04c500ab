/**
 * The job that writes the events of scheduled publication, and archives products whose time is over, so that the indexes
 * of published products hold none of them.
 */
import { job, publish, type TenantDatabase } from '@carton/runtime';
import { productUpdated } from '../events.ts';
import { rewriteTitleWords } from '../search/matches-store.ts';
import type { ProductRow } from '../store.ts';

const batchSize = 100;

/** Products whose visibility changed without an event, locked; those locked by others are left out. */
async function lockDueProducts(tx: TenantDatabase): Promise<string[]> {
  const due = await tx.query<{ id: string }>(
    `select id from products
      where tenant_id = $1 and visibility_changes_at <= now() and deleted_at is null
      order by visibility_changes_at limit ${batchSize} for update skip locked`,
  );
  return due.map(({ id }) => id);
}

/** Archives a product if its time is over, and publishes the event. */
async function applySchedule(tx: TenantDatabase, productId: string): Promise<void> {
  const [product] = await tx.query<ProductRow>(
    `update products
        set status = case when unpublish_at <= now() then 'archived' else status end,
            visibility_changes_at = case when unpublish_at > now() then unpublish_at end, updated_at = now()
      where tenant_id = $1 and id = $2 returning *`,
    [productId],
  );
  const { id, handle, title, status } = product as ProductRow;
  if (status === 'archived') await rewriteTitleWords(tx, id);
  await publish(tx, productUpdated, { type: 'product', id }, { handle, title, status });
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
