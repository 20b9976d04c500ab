/**
 * The originals of media and the private files of other packages in the export of a tenant. Sized variants are made again
 * from the originals.
 */
import { ExportedFileMissing, type TenantFiles } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { originalName } from './assets/addresses.ts';
import { type ExportedFile, keyOf, listExported } from './files/store.ts';
import { storageOf } from './storage/index.ts';
import { MissingFile } from './storage/storage.ts';

const batchSize = 200;

async function* read(db: TenantDatabase, file: ExportedFile) {
  try {
    yield* storageOf(db).read(keyOf(db, file));
  } catch (error) {
    throw error instanceof MissingFile ? new ExportedFileMissing(error.message) : error;
  }
}

export const exportedFiles: TenantFiles = {
  name: 'media',
  async *list(db) {
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const files = await listExported(db, after, batchSize);
      for (const file of files) {
        const { id, assetId, size } = file;
        const path = assetId === null ? `private/${id}` : `${assetId}/${originalName(file)}`;
        yield { path, size, open: () => read(db, file) };
      }
      if (files.length < batchSize) return;
      after = (files.at(-1) as ExportedFile).id;
    }
  },
};
