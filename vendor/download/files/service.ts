/**
 * Rules of the files of variants.
 */
import { keepPrivateFile, privateContent, releasePrivateFiles, storePrivateFile } from '@carton/media';
import { findVariants } from '@carton/product';
import {
  type FileContent,
  invalidField,
  lockFor,
  notFound,
  type TenantDatabase,
  type UploadedFile,
} from '@carton/runtime';
import { tooManyDownloads } from '../problems.ts';
import type { ChangeDownload, Download } from './schemas.ts';
import { type DownloadRow, deleteRow, downloads, downloadsOf, isGranted } from './store.ts';

/** Files of a variant. */
const maxFiles = 50;

/** @throws not_found (404) for an unknown or deleted variant */
export async function listDownloads(db: TenantDatabase, variantId: string): Promise<Download[]> {
  await requireVariant(db, variantId);
  return downloadsOf(db, variantId);
}

async function requireVariant(db: TenantDatabase, variantId: string): Promise<void> {
  const variant = (await findVariants(db, [variantId])).get(variantId);
  if (!variant || variant.deleted) throw notFound(`No variant has the id ${variantId}.`);
}

/**
 * Adds a file to a variant, after those that it has. Orders that are paid from then on include it.
 * @throws not_found (404), invalid_request (400) for an empty file, too_many_downloads, quota_exceeded (409)
 */
export async function addDownload(db: TenantDatabase, variantId: string, upload: UploadedFile): Promise<Download> {
  await requireVariant(db, variantId);
  if (upload.size === 0) throw invalidField('/file', 'must not be empty');
  await nextPosition(db, variantId);
  const file = await storePrivateFile(db, upload);
  return db.transaction(async (tx) => {
    await lockFor(tx, `download.variant ${variantId}`);
    const position = await nextPosition(tx, variantId);
    await keepPrivateFile(tx, file);
    const { name: fileName, size, sha256 } = upload;
    return downloads.insert(tx, { variantId, fileId: file.id, fileName, size, sha256, position });
  });
}

/** @throws too_many_downloads (409) */
async function nextPosition(db: TenantDatabase, variantId: string): Promise<number> {
  const others = await downloadsOf(db, variantId);
  if (others.length >= maxFiles) throw tooManyDownloads(`A variant has at most ${maxFiles} downloads.`);
  return Math.max(-1, ...others.map(({ position }) => position)) + 1;
}

/** @throws not_found (404) */
export function changeDownload(db: TenantDatabase, id: string, patch: ChangeDownload): Promise<Download> {
  return downloads.change(db, id, patch);
}

/**
 * Deletes a file of a variant for future orders. Buyers keep what was granted to them, and with it the file, which then is
 * released by a job; without any grant it is released at once. @throws not_found (404)
 */
export function deleteDownload(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    // Locked against grants: of a grant and a deletion at the same time, the second sees the first.
    const { fileId } = await downloads.lock(tx, id);
    await downloads.remove(tx, id);
    if (await isGranted(tx, id)) return;
    await deleteRow(tx, id);
    await releaseFiles(tx, [{ fileId }]);
  });
}

/** Releases the files of deleted downloads whose rows no longer have them. */
export async function releaseFiles(tx: TenantDatabase, found: readonly Pick<DownloadRow, 'fileId'>[]): Promise<void> {
  await releasePrivateFiles(
    tx,
    found.flatMap(({ fileId }) => fileId ?? []),
  );
}

/** The file for staff, which counts nothing. @throws not_found (404) */
export async function readForStaff(db: TenantDatabase, downloadId: string): Promise<FileContent> {
  const { fileId, size, fileName } = await downloads.require(db, downloadId);
  return privateContent(db, { id: fileId as string, size }, fileName);
}
