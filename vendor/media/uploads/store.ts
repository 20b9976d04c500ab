/**
 * Queries of direct uploads.
 */
import type { TenantDatabase } from '@carton/runtime';

export interface UploadRow {
  id: string;
  fileName: string;
  size: number;
  altText: string;
  externalId: string | null;
  /** Once it is completed. */
  assetId: string | null;
  expiresAt: string;
}

/** @param upload `id` is that of its file */
export function insertUpload(
  tx: TenantDatabase,
  upload: Pick<UploadRow, 'id' | 'fileName' | 'size' | 'altText'> & {
    externalId?: string | undefined;
    expiresAt: Date;
  },
  tokenHash: string,
): Promise<UploadRow> {
  return tx.insert<UploadRow>('media_uploads', { ...upload, tokenHash });
}

/** An upload to which a file may still be sent. */
export async function findOpenUpload(db: TenantDatabase, tokenHash: string): Promise<UploadRow | null> {
  const [row] = await db.query<UploadRow>(
    `select * from media_uploads
      where tenant_id = $1 and token_hash = $2 and expires_at > now() and asset_id is null`,
    [tokenHash],
  );
  return row ?? null;
}

export async function findUpload(db: TenantDatabase, id: string): Promise<UploadRow | null> {
  const [row] = await db.query<UploadRow>('select * from media_uploads where tenant_id = $1 and id = $2', [id]);
  return row ?? null;
}

/** Records the asset of an upload; false if it has one already. */
export async function completeWith(tx: TenantDatabase, id: string, assetId: string): Promise<boolean> {
  const completed = await tx.query(
    `update media_uploads set asset_id = $3 where tenant_id = $1 and id = $2 and asset_id is null returning id`,
    [id, assetId],
  );
  return completed.length > 0;
}

/** Forgets uploads a day after they have expired: until then a completion can be repeated. */
export async function forgetUploads(db: TenantDatabase): Promise<void> {
  await db.query(`delete from media_uploads where tenant_id = $1 and expires_at < now() - interval '1 day'`);
}
