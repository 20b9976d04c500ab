/**
 * Direct uploads: staff ask for an address, a client sends the file to it, and staff complete the upload, which makes the
 * file an asset by the same rules as any other. The address is one of the storage's where the storage has such, and
 * otherwise one of the box.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  bodyTooLarge,
  hashToken,
  invalidRequest,
  notFound,
  type TenantDatabase,
  type UploadedFile,
} from '@carton/runtime';
import type { MediaAsset } from '../assets/schemas.ts';
import { createAsset, readAsset } from '../assets/service.ts';
import { reserve } from '../files/service.ts';
import { expireFile, keyOf, uncheckedType } from '../files/store.ts';
import { mediaUploadIncomplete } from '../problems.ts';
import { mediaSettings } from '../settings.ts';
import { storageOf } from '../storage/index.ts';
import { MissingFile } from '../storage/storage.ts';
import type { CreateMediaUpload, MediaUpload } from './schemas.ts';
import { completeWith, findOpenUpload, findUpload, insertUpload, type UploadRow } from './store.ts';

/** Minutes for the upload. */
const lifetime = 60;
/** Hours until the file is deleted unless it has become an asset: an upload that began in time may take some. */
const fileLifetime = 6;

/** @throws body_too_large (413), quota_exceeded (409) */
export async function createUpload(
  db: TenantDatabase,
  { fileName, size, altText, externalId }: CreateMediaUpload,
): Promise<MediaUpload> {
  const { fileSize } = mediaSettings.of(db);
  if (size > fileSize) throw bodyTooLarge(`The limit is ${fileSize} bytes.`);
  const token = randomBytes(24).toString('base64url');
  const row = await db.transaction(async (tx) => {
    const file = await reserve(tx, { variant: 'upload', mediaType: uncheckedType, size }, { hours: fileLifetime });
    const expiresAt = new Date(Date.now() + lifetime * 60_000);
    return insertUpload(tx, { id: file.id, fileName, size, altText, externalId, expiresAt }, hashToken(token));
  });
  const { id, expiresAt } = row;
  const signed = await storageOf(db).signUpload?.(keyOf(db, row), size, lifetime * 60);
  return { id, method: 'PUT', url: signed ?? `/media/uploads/${token}`, size, expiresAt };
}

/** @throws not_found (404) */
async function requireOpenUpload(db: TenantDatabase, token: string): Promise<UploadRow> {
  const row = await findOpenUpload(db, hashToken(token));
  if (!row) throw notFound('No open upload has this address.');
  return row;
}

/**
 * Admits a file that is sent to an address of the box: it is that of an open upload, whose bytes are reserved.
 * @throws not_found (404), invalid_request (400) for another size than was announced
 */
export async function admitUpload(
  { db, params }: { db: TenantDatabase; params: { token: string } },
  announced: number | null,
): Promise<number> {
  const { size } = await requireOpenUpload(db, params.token);
  if (announced !== null) requireSize(announced, size);
  return size;
}

function requireSize(sent: number, announced: number): void {
  if (sent !== announced) throw invalidRequest(`The file has ${sent} bytes; ${announced} were announced.`);
}

/**
 * Stores a file that was sent to an address of the box. It may be sent again until the upload is completed.
 * @throws not_found (404), invalid_request (400)
 */
export async function receiveUpload(db: TenantDatabase, token: string, file: UploadedFile): Promise<void> {
  const row = await requireOpenUpload(db, token);
  requireSize(file.size, row.size);
  await storageOf(db).put(keyOf(db, row), file.path, uncheckedType);
}

/**
 * Makes the uploaded file an asset. Completing it again returns the same asset.
 * @throws not_found (404), media_upload_incomplete (409), and as `createAsset` does
 */
export async function completeUpload(db: TenantDatabase, id: string): Promise<MediaAsset> {
  const unknown = () => notFound(`No upload has the id ${id}.`);
  const row = await findUpload(db, id);
  if (!row) throw unknown();
  if (row.assetId) return readAsset(db, row.assetId);
  const folder = await mkdtemp(join(tmpdir(), 'media-'));
  try {
    const path = join(folder, 'file');
    await fetchUpload(db, row, path);
    const { size, fileName: name, altText, externalId } = row;
    const fields = { altText, ...(externalId !== null && { externalId }) };
    return await createAsset(db, { path, size, name }, fields, {
      replaced: size,
      async onCreate(tx, asset) {
        if (!(await completeWith(tx, id, asset.id))) {
          throw mediaUploadIncomplete('Another request completes it at the same time.');
        }
        await expireFile(tx, id);
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws media_upload_incomplete (409) */
async function fetchUpload(db: TenantDatabase, row: UploadRow, path: string): Promise<void> {
  let received = 0;
  const limited = async function* (chunks: AsyncIterable<string | Uint8Array>) {
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > row.size) return;
      yield chunk;
    }
  };
  try {
    await pipeline(storageOf(db).read(keyOf(db, row)), limited, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (error instanceof MissingFile) throw mediaUploadIncomplete('No file was sent to its address.');
    throw error;
  }
  if (received !== row.size) {
    throw mediaUploadIncomplete(`The file that was sent does not have the ${row.size} bytes that were announced.`);
  }
}
