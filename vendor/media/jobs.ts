/**
 * Deletes files that no asset has: those of deleted assets, and those whose upload was not completed.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { claimExpired, forgetFiles, keyOf } from './files/store.ts';
import { storageOf } from './storage/index.ts';
import { forgetUploads } from './uploads/store.ts';

const batchSize = 100;

export async function deleteExpiredFiles(db: TenantDatabase): Promise<void> {
  const storage = storageOf(db);
  await forgetUploads(db);
  for (;;) {
    const files = await claimExpired(db, batchSize);
    for (const file of files) {
      await storage.remove(keyOf(db, file));
      await forgetFiles(db, [file.id]);
    }
    if (files.length < batchSize) return;
  }
}

export const deleteFiles = job({ name: 'media.delete-files', everySeconds: 300, run: deleteExpiredFiles });
