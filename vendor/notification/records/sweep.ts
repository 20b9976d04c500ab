/**
 * Deletes old records of mails.
 */
import { firstIdAt, job, type TenantDatabase } from '@carton/runtime';
import { mailSettings } from '../settings.ts';

/** Few rows at a time, so that none is locked for long. */
const batchSize = 1000;

export async function deleteOld(db: TenantDatabase): Promise<void> {
  const before = firstIdAt(new Date(Date.now() - mailSettings.of(db).retentionDays * 86_400_000));
  const text = `
    delete from notifications
     where tenant_id = $1 and id in (
           select id from notifications where tenant_id = $1 and id < $2 and status <> 'queued' limit ${batchSize})
    returning id`;
  while ((await db.query(text, [before])).length === batchSize);
}

export const forgetOld = job({ name: 'notification.forget-old', everySeconds: 3600, run: deleteOld });
