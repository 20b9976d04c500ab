/**
 * Queries of the files of variants.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { Download } from './schemas.ts';

/** A file of a variant as it is stored. */
export interface DownloadRow extends Download {
  /** Of `@carton/media`; null once the file of a deleted download is released. */
  fileId: string | null;
  deletedAt: string | null;
}

export const downloads = rows<DownloadRow>({ table: 'downloads', noun: 'download', softDelete: true });

/** The files of a variant, in order. */
export function downloadsOf(db: TenantDatabase, variantId: string): Promise<DownloadRow[]> {
  return db.query(
    'select * from downloads where tenant_id = $1 and variant_id = $2 and deleted_at is null order by position, id',
    [variantId],
  );
}

/** Locks a file against deletion until the transaction ends; a no-op for one whose row is gone. */
export async function lockShared(tx: TenantDatabase, id: string): Promise<void> {
  await tx.query('select id from downloads where tenant_id = $1 and id = $2 for share', [id]);
}

/**
 * The files of variants, in order, locked against deletion until the transaction ends.
 * @param createdUntil without those that were added later
 */
export function lockFilesOf(
  tx: TenantDatabase,
  variantIds: readonly string[],
  createdUntil: string,
): Promise<Pick<DownloadRow, 'id' | 'variantId' | 'fileName'>[]> {
  return tx.query(
    `select id, variant_id, file_name from downloads
      where tenant_id = $1 and variant_id = any($2::uuid[]) and deleted_at is null and created_at <= $3::timestamptz
      order by position, id for share`,
    [variantIds, createdUntil],
  );
}

/** Whether a file was ever granted to a buyer. */
export async function isGranted(tx: TenantDatabase, id: string): Promise<boolean> {
  const found = await tx.query('select id from download_grants where tenant_id = $1 and download_id = $2 limit 1', [
    id,
  ]);
  return found.length > 0;
}

/** Deletes the row of a deleted download. */
export async function deleteRow(tx: TenantDatabase, id: string): Promise<void> {
  await tx.query('delete from downloads where tenant_id = $1 and id = $2', [id]);
}

/** A deleted download whose file nobody needs: without a grant that is open, or has ended or expired in the last 30 days. */
const isUnneeded = `
  tenant_id = $1 and deleted_at is not null and file_id is not null
  and not exists (
    select from download_grants owned
     where owned.tenant_id = $1 and owned.download_id = downloads.id
       and coalesce(least(owned.ended_at, owned.expires_at), 'infinity') > now() - interval '30 days')`;

type FileOfRow = Pick<DownloadRow, 'id' | 'fileId'>;

/** Locks up to `most` downloads whose files are unneeded, those deleted first first, without those that others have locked. */
export function lockUnneeded(tx: TenantDatabase, most: number): Promise<FileOfRow[]> {
  return tx.query(
    `select id, file_id from downloads where ${isUnneeded} order by deleted_at, id limit $2 for update skip locked`,
    [most],
  );
}

/** Of locked downloads those whose files are unneeded: a grant may have been extended before the lock. */
export function stillUnneeded(tx: TenantDatabase, ids: readonly string[]): Promise<FileOfRow[]> {
  return tx.query(`select id, file_id from downloads where ${isUnneeded} and id = any($2::uuid[])`, [ids]);
}

/** Takes the files from the rows of deleted downloads. */
export async function forgetFiles(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('update downloads set file_id = null where tenant_id = $1 and id = any($2::uuid[])', [ids]);
}
