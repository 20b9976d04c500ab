/**
 * Releases the files of deleted downloads that no buyer needs any more. Grants that have ended keep their file for some
 * time: a refund can fail, and staff can extend a grant.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import type { DownloadRow } from '../grants/store.ts';
import { releaseFiles } from './service.ts';

const batchSize = 100;

const isUnneeded = `
  tenant_id = $1 and deleted_at is not null and file_id is not null
  and not exists (
    select from download_grants owned
     where owned.tenant_id = $1 and owned.download_id = downloads.id
       and coalesce(least(owned.ended_at, owned.expires_at), 'infinity') > now() - interval '30 days')`;

type Found = Pick<DownloadRow, 'id' | 'fileId'>;

export async function releaseUnneeded(db: TenantDatabase): Promise<void> {
  const nextBatch = () =>
    db.transaction(async (tx) => {
      const locked = await tx.query<Found>(
        `select id, file_id from downloads where ${isUnneeded} order by deleted_at, id limit $2 for update skip locked`,
        [batchSize],
      );
      // Without those of which a grant was extended before the lock.
      const unneeded = await tx.query<Found>(
        `select id, file_id from downloads where ${isUnneeded} and id = any($2::uuid[])`,
        [locked.map(({ id }) => id)],
      );
      await tx.query('update downloads set file_id = null where tenant_id = $1 and id = any($2::uuid[])', [
        unneeded.map(({ id }) => id),
      ]);
      await releaseFiles(tx, unneeded);
      return locked.length;
    });
  while ((await nextBatch()) === batchSize);
}

export const releaseDeleted = job({ name: 'download.release-files', everySeconds: 3600, run: releaseUnneeded });
