/**
 * Private files of other packages: of any type, stored as they are, without a public address. They share the storage, the
 * space of the store, its export and its removal with media.
 *
 * A package stores the file, and keeps it in the transaction that writes the row with its id; the column references
 * `media_files (tenant_id, id)`. In the transaction that clears the column it releases the file, which a job then deletes.
 */
import { claimQuota, releaseQuota } from '@carton/core';
import {
  type FileContent,
  type HasExtensions,
  type TenantDatabase,
  type UploadedFile,
  unavailable,
} from '@carton/runtime';
import { mediaSettings } from '../settings.ts';
import { storageOf } from '../storage/index.ts';
import { dispositionWith, policy } from './headers.ts';
import { admitMedia, mediaQuota } from './quota.ts';
import { storeFile } from './service.ts';
import { assignPrivateFile, expirePrivateFiles, keyOf, uncheckedType } from './store.ts';

/** A stored private file. */
export interface PrivateFile {
  id: string;
  /** In bytes, at least one. */
  size: number;
}

/**
 * The upload of a private file as the form field `file`, for `withOverrides`: as large as media files of the box may be.
 * Without a box, for the declaration, the limit is the default one.
 */
export function privateUpload(box: HasExtensions | null, description: string) {
  const size = box ? mediaSettings.of(box).fileSize : 100 * 1024 * 1024;
  return { upload: { files: { file: { size, description } }, admit: admitMedia } };
}

/**
 * Stores an uploaded file, outside of any transaction. Unless it is kept within two hours it is deleted.
 * @throws quota_exceeded (409), unavailable (503)
 */
export async function storePrivateFile(
  db: TenantDatabase,
  { path, size }: Pick<UploadedFile, 'path' | 'size'>,
): Promise<PrivateFile> {
  const { id } = await storeFile(db, path, { variant: 'private', mediaType: uncheckedType, size });
  return { id, size };
}

/** Keeps a stored file until it is released. @throws unavailable (503) if storing it took too long */
export async function keepPrivateFile(tx: TenantDatabase, file: PrivateFile): Promise<void> {
  if (!(await assignPrivateFile(tx, file))) throw unavailable('Storing the file took too long.');
  await claimQuota(tx, mediaQuota, 0, { kept: file.size });
}

/** Lets files be deleted, whose ids no row has any more. */
export async function releasePrivateFiles(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await releaseQuota(tx, mediaQuota, await expirePrivateFiles(tx, ids));
}

/** A private file as the response of a route, which is saved under the name and never opened by a browser. */
export function privateContent(db: TenantDatabase, file: PrivateFile, fileName: string): FileContent {
  const { id, size } = file;
  return {
    mediaType: uncheckedType,
    size,
    etag: `"${id}"`,
    headers: {
      'Content-Disposition': dispositionWith('attachment', fileName),
      'Content-Security-Policy': policy,
      'Cross-Origin-Resource-Policy': 'same-site',
    },
    open: (range) => storageOf(db).read(keyOf(db, file), range, size),
  };
}
