/**
 * The originals of media in the export of a tenant. Sized variants are made again from them.
 */
import { ExportedFileMissing, type TenantFiles } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { originalName } from './addresses.ts';
import { storageOf } from './storage/index.ts';
import { MissingFile } from './storage/storage.ts';
import { keyOf } from './store.ts';
import type { MediaType } from './types.ts';

const batchSize = 200;

interface Original {
  id: string;
  assetId: string;
  mediaType: MediaType;
  size: number;
}

async function* read(db: TenantDatabase, file: Original) {
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
      const files: Original[] = await db.query<Original>(
        `select id, asset_id, media_type, size from media_files
          where tenant_id = $1 and variant = 'original' and asset_id is not null and id > $2 order by id limit $3`,
        [after, batchSize],
      );
      for (const file of files) {
        const { assetId, size } = file;
        yield { path: `${assetId}/${originalName(file)}`, size, open: () => read(db, file) };
      }
      if (files.length < batchSize) return;
      after = (files.at(-1) as Original).id;
    }
  },
};
