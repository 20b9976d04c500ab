/**
 * Deletes old records of mails.
 */
import { firstIdAt, job, type TenantDatabase } from '@carton/runtime';
import { mailSettings } from '../settings.ts';
import { deleteBefore } from './store.ts';

export async function deleteOld(db: TenantDatabase): Promise<void> {
  const before = firstIdAt(new Date(Date.now() - mailSettings.of(db).retentionDays * 86_400_000));
  while (await deleteBefore(db, before));
}

export const forgetOld = job({ name: 'notification.forget-old', everySeconds: 3600, run: deleteOld });
