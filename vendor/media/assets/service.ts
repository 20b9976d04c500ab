/**
 * Rules of media assets. A file is recorded, stored, and then given to its asset in the transaction that creates it, so
 * that no crash leaves a file that nothing knows, or an asset without a file.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { claimQuota, releaseQuota } from '@carton/core';
import {
  bodyTooLarge,
  type IntegrationPage,
  type ListQuery,
  publishRow,
  type TenantDatabase,
  type UploadedFile,
  unavailable,
} from '@carton/runtime';
import { mediaCreated, mediaDeleted } from '../events.ts';
import { mediaQuota } from '../files/quota.ts';
import { storeFile } from '../files/service.ts';
import { assignFile, releaseFiles } from '../files/store.ts';
import { cleanPicture, type Dimensions } from '../pictures/service.ts';
import { mediaInUse } from '../problems.ts';
import { mediaSettings, megabyte } from '../settings.ts';
import { detectType, isPicture, kindOf, type MediaType } from '../types.ts';
import { present } from './addresses.ts';
import type { ChangeMediaAsset, Media, MediaAsset, MediaAssetRow, UploadFields } from './schemas.ts';
import { findAssets, mediaAssets } from './store.ts';
import { mediaUses } from './uses.ts';

const resourceType = 'media_asset';

export async function listAssets(db: TenantDatabase, query: ListQuery): Promise<IntegrationPage<MediaAsset>> {
  const page = await mediaAssets.page(db, query);
  return { ...page, items: page.items.map(present) } as IntegrationPage<MediaAsset>;
}

/** @throws not_found (404) */
export async function readAsset(db: TenantDatabase, id: string): Promise<MediaAsset> {
  return present(await mediaAssets.require(db, id));
}

/** Assets by id as shoppers see them, in one statement, for packages that refer to them. */
export async function findMedia(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, Media>> {
  if (ids.length === 0) return new Map();
  const rows = await findAssets(db, ids);
  return new Map(
    rows.map((row) => {
      const { id, kind, mediaType, altText, focalPoint, width, height, url, variants } = present(row);
      return [id, { id, kind, mediaType, altText, focalPoint, width, height, url, variants }];
    }),
  );
}

/** A file that can be stored: checked, and cleaned if it is a picture. */
interface CheckedFile {
  path: string;
  mediaType: MediaType;
  size: number;
  sha256: string;
  dimensions: Dimensions | null;
}

interface CreationOptions {
  /** Bytes that the creation frees, in `onCreate`. */
  replaced?: number;
  /** Called in the transaction that creates the asset. */
  onCreate?(tx: TenantDatabase, asset: MediaAssetRow): Promise<void>;
}

/**
 * Creates an asset of an uploaded file.
 * @throws unsupported_file_type (415), body_too_large, picture_too_many_pixels (413), picture_unreadable (400),
 *   quota_exceeded, external_id_taken (409)
 */
export async function createAsset(
  db: TenantDatabase,
  upload: Pick<UploadedFile, 'path' | 'size' | 'name'>,
  { altText = '', externalId }: UploadFields,
  { replaced = 0, onCreate }: CreationOptions = {},
): Promise<MediaAsset> {
  const checked = await checkFile(db, upload);
  const { mediaType, size, sha256, dimensions } = checked;
  const file = await storeFile(db, checked.path, { variant: 'original', mediaType, size }, { replaced });
  const { width = null, height = null, frames = 1, opaque = true } = dimensions ?? {};
  const values = { mediaType, size, sha256, width, height, frames, opaque, altText, externalId: externalId ?? null };
  return db.transaction(async (tx) => {
    const asset = await mediaAssets.insert(tx, { kind: kindOf(mediaType), fileName: upload.name, ...values });
    if (!(await assignFile(tx, file, asset.id))) throw unavailable('Storing the file took too long.');
    await onCreate?.(tx, asset);
    await publishRow(tx, mediaCreated, resourceType, asset);
    // Counted at `reserve`, but not kept yet.
    await claimQuota(tx, mediaQuota, 0, { kept: size });
    return present(asset);
  });
}

/** @throws as `createAsset` does for the file */
async function checkFile(db: TenantDatabase, { path, size }: { path: string; size: number }): Promise<CheckedFile> {
  const { pictureSize, pixels } = mediaSettings.of(db);
  const type = await detectType(path);
  if (!isPicture(type)) return { path, mediaType: type, size, sha256: await digestOf(path), dimensions: null };
  if (size > pictureSize) throw bodyTooLarge(`The limit for pictures is ${pictureSize / megabyte} MiB.`);
  const clean = `${path}.clean`;
  const { mediaType, ...dimensions } = await cleanPicture(db, path, clean, { type, pixels });
  return { path: clean, mediaType, size: (await stat(clean)).size, sha256: await digestOf(clean), dimensions };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** @throws not_found (404), external_id_taken (409) */
export async function changeAsset(db: TenantDatabase, id: string, patch: ChangeMediaAsset): Promise<MediaAsset> {
  return present(await mediaAssets.change(db, id, patch as Partial<MediaAssetRow>));
}

/**
 * Deletes an asset. Its files are deleted from the storage afterwards, by a job.
 * @throws not_found (404), media_in_use (409)
 */
export function deleteAsset(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const asset = await mediaAssets.lock(tx, id);
    for (const { noun, isUsed } of mediaUses.of(tx)) {
      if (await isUsed(tx, id)) throw mediaInUse(`It is used by ${noun}.`);
    }
    await releaseFiles(tx, id);
    await mediaAssets.remove(tx, id);
    await publishRow(tx, mediaDeleted, resourceType, asset);
    await releaseQuota(tx, mediaQuota, asset.size);
  });
}
