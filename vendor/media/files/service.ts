/**
 * Recording and storing files. A file is recorded, stored, and then given to its owner, so that no crash leaves a file that
 * nothing knows.
 */
import { claimQuota } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { storageOf } from '../storage/index.ts';
import { mediaQuota } from './quota.ts';
import { keyOf, type MediaFile, reserveFile } from './store.ts';

/** Records and stores a file that gets its owner later. @throws as `reserve` does, unavailable (503) */
export async function storeFile(
  db: TenantDatabase,
  path: string,
  described: Omit<MediaFile, 'id'>,
  options: { replaced?: number } = {},
): Promise<MediaFile> {
  const file = await reserve(db, described, options);
  await storageOf(db).put(keyOf(db, file), path, file.mediaType);
  return file;
}

/**
 * Records a file that is about to be stored, if there is space for it.
 * @param replaced bytes that it replaces
 * @param hours as in `reserveFile`
 * @throws quota_exceeded (409)
 */
export function reserve(
  db: TenantDatabase,
  file: Omit<MediaFile, 'id'>,
  { replaced = 0, hours }: { replaced?: number; hours?: number } = {},
): Promise<MediaFile> {
  return db.transaction(async (tx) => {
    const reserved = await reserveFile(tx, file, hours);
    await claimQuota(tx, mediaQuota, file.size, { kept: 0, replaced });
    return reserved;
  });
}
