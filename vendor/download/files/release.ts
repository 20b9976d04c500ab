/**
 * Releases the files of deleted downloads that no buyer needs any more. Grants that have ended keep their file for some
 * time: a refund can fail, and staff can extend a grant.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { releaseFiles } from './service.ts';
import { forgetFiles, lockUnneeded, stillUnneeded } from './store.ts';

const batchSize = 100;

/** Releases the files of a tenant, in a transaction for each batch. */
export async function releaseUnneeded(db: TenantDatabase): Promise<void> {
  const nextBatch = () =>
    db.transaction(async (tx) => {
      const locked = await lockUnneeded(tx, batchSize);
      const unneeded = await stillUnneeded(
        tx,
        locked.map(({ id }) => id),
      );
      await forgetFiles(
        tx,
        unneeded.map(({ id }) => id),
      );
      await releaseFiles(tx, unneeded);
      return locked.length;
    });
  while ((await nextBatch()) === batchSize);
}

export const releaseDeleted = job({ name: 'download.release-files', everySeconds: 3600, run: releaseUnneeded });
