/**
 * The job that deletes expired links. Each use checks the expiry by itself; the job keeps the table small and forgets
 * the addresses of requests.
 */
import { job, type TenantDatabase } from '@carton/runtime';

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

const deleteLinks = `
  delete from order_links where tenant_id = $1 and id in (
         select id from order_links where tenant_id = $1 and expires_at <= now()
          order by expires_at limit ${batchSize} for update skip locked)
  returning 1`;

export async function deleteExpiredLinks(db: TenantDatabase): Promise<void> {
  while ((await db.query(deleteLinks)).length === batchSize);
}

export const forgetExpiredLinks = job({
  name: 'order.forget-expired-links',
  everySeconds: 3600,
  run: deleteExpiredLinks,
});
