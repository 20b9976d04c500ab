/**
 * The content of files, for everyone who has their address. Sized variants are made when they are first requested.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileContent, isUniqueViolation, notFound, type TenantDatabase, unavailable } from '@carton/runtime';
import { dispositionWith, policy } from '../files/headers.ts';
import { assignFile, findFile, keyOf, type MediaFile, reserveFile } from '../files/store.ts';
import { resizePicture } from '../pictures/service.ts';
import { type Variant, variantsOf } from '../pictures/variants.ts';
import { storageOf } from '../storage/index.ts';
import { extensionOf, type MediaType } from '../types.ts';
import { originalName } from './addresses.ts';
import { findAsset, findServed, type ServedAsset } from './store.ts';

/**
 * @param name the last part of the address
 * @throws not_found (404), unavailable (503) while too many variants are being made
 */
export async function readFile(db: TenantDatabase, assetId: string, name: string): Promise<FileContent> {
  const unknown = () => notFound(`No file has the address /media/${assetId}/${name}.`);
  const isOriginal = name.startsWith('original.');
  const served = await findServed(db, assetId, isOriginal ? 'original' : name);
  if (!served) throw unknown();
  const { asset, file } = served;
  if (isOriginal && (file === null || name !== originalName(asset))) throw unknown();
  if (file) return contentOf(db, asset, file);
  const variant = variantsOf(asset).find((each) => each.name === name);
  if (!variant) throw unknown();
  return contentOf(db, asset, await makeOnce(db, asset, variant, unknown));
}

/** @throws the error for an asset that has been deleted in the meantime */
async function requireFile(
  db: TenantDatabase,
  { id }: ServedAsset,
  variant: string,
  unknown: () => Error,
): Promise<MediaFile> {
  const file = await findFile(db, id, variant);
  if (!file) throw unknown();
  return file;
}

/** The variants that this process is making. */
const inProgress = new Map<string, Promise<MediaFile>>();

/** Makes a variant; requests for one that is being made wait for it. */
function makeOnce(db: TenantDatabase, asset: ServedAsset, variant: Variant, unknown: () => Error): Promise<MediaFile> {
  const key = `${db.tenantId}/${asset.id}/${variant.name}`;
  const current = inProgress.get(key);
  if (current) return current;
  const making = makeVariant(db, asset, variant, unknown).finally(() => inProgress.delete(key));
  inProgress.set(key, making);
  return making;
}

async function makeVariant(
  db: TenantDatabase,
  asset: ServedAsset,
  variant: Variant,
  unknown: () => Error,
): Promise<MediaFile> {
  const storage = storageOf(db);
  const original = await requireFile(db, asset, 'original', unknown);
  const folder = await mkdtemp(join(tmpdir(), 'media-'));
  try {
    const path = join(folder, variant.name);
    await resizePicture(db, () => bytesOf(storage.read(keyOf(db, original))), path, variant);
    const { mediaType } = variant;
    const file = await reserveFile(db, { variant: variant.name, mediaType, size: (await stat(path)).size });
    await storage.put(keyOf(db, file), path, mediaType);
    return (await assignVariant(db, asset, file)) ?? (await requireFile(db, asset, variant.name, unknown));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

/** Null if another replica has made the variant first, or the asset is deleted; then this file expires. */
async function assignVariant(db: TenantDatabase, { id }: ServedAsset, file: MediaFile): Promise<MediaFile | null> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await findAsset(tx, id, 'for key share'))) return null;
      if (!(await assignFile(tx, file, id))) throw unavailable('Storing the file took too long.');
      return file;
    });
  } catch (error) {
    if (isUniqueViolation(error as Error, 'media_files_variant')) return null;
    throw error;
  }
}

function contentOf(db: TenantDatabase, asset: ServedAsset, file: MediaFile): FileContent {
  const { mediaType, size } = file;
  return {
    mediaType,
    size,
    etag: `"${file.id}"`,
    headers: {
      'Content-Disposition': dispositionOf(asset, file),
      'Content-Security-Policy': policy,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
    open: (range) => storageOf(db).read(keyOf(db, file), range, size),
  };
}

/** A document is saved and not opened: PDF viewers run scripts. (RFC 6266) */
function dispositionOf({ kind, fileName }: ServedAsset, { mediaType }: MediaFile): string {
  const base = fileName.replace(/\.[^.]{1,5}$/, '') || 'file';
  const name = `${base}.${extensionOf(mediaType as MediaType)}`;
  return dispositionWith(kind === 'document' ? 'attachment' : 'inline', name);
}
