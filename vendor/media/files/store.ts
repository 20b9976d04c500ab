/**
 * Queries of stored files.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import type { MediaType } from '../types.ts';

/** The media type of files that are not yet checked. */
export const uncheckedType = 'application/octet-stream';

/** A file in the storage. */
export interface MediaFile {
  id: string;
  /**
   * `original`, the name of a sized variant, `upload` for a file that is sent directly and not yet checked, or `private`
   * for one of another package.
   */
  variant: string;
  mediaType: MediaType | typeof uncheckedType;
  /** In bytes. */
  size: number;
}

/** The name of a file in the storage. */
export function keyOf({ tenantId }: TenantDatabase, { id }: Pick<MediaFile, 'id'>): string {
  return `${tenantId}/${id}`;
}

/** Records a file that is about to be stored. Unless it gets an owner within the hours, it is deleted. */
export async function reserveFile(
  db: TenantDatabase,
  { variant, mediaType, size }: Omit<MediaFile, 'id'>,
  hours = 2,
): Promise<MediaFile> {
  const id = newId();
  await db.query(
    `insert into media_files (tenant_id, id, variant, media_type, size, expires_at)
     values ($1, $2, $3, $4, $5, now() + $6 * interval '1 hour')`,
    [id, variant, mediaType, size, hours],
  );
  return { id, variant, mediaType, size };
}

/** Gives a stored file to an asset; false if it has expired. */
export async function assignFile(tx: TenantDatabase, { id }: MediaFile, assetId: string): Promise<boolean> {
  const assigned = await tx.query(
    `update media_files set asset_id = $3, expires_at = null
      where tenant_id = $1 and id = $2 and expires_at > clock_timestamp() returning id`,
    [id, assetId],
  );
  return assigned.length > 0;
}

/** Gives a stored private file to the package that stored it; false if it has expired. */
export async function assignPrivateFile(tx: TenantDatabase, { id }: Pick<MediaFile, 'id'>): Promise<boolean> {
  const assigned = await tx.query(
    `update media_files set expires_at = null
      where tenant_id = $1 and id = $2 and variant = 'private' and expires_at > clock_timestamp() returning id`,
    [id],
  );
  return assigned.length > 0;
}

/**
 * Lets private files expire. Returns their size in bytes. The time is cut to the digits of the column: rounded, it might be
 * later than the next statement.
 */
export async function expirePrivateFiles(tx: TenantDatabase, ids: readonly string[]): Promise<number> {
  const expired = await tx.query<{ size: number }>(
    `update media_files set expires_at = date_trunc('milliseconds', now())
      where tenant_id = $1 and id = any($2::uuid[]) and variant = 'private' and expires_at is null
      returning size`,
    [ids],
  );
  return expired.reduce((sum, { size }) => sum + size, 0);
}

/** Lets all files of an asset expire. */
export async function releaseFiles(tx: TenantDatabase, assetId: string): Promise<void> {
  await tx.query(
    `update media_files set asset_id = null, expires_at = date_trunc('milliseconds', now()) where tenant_id = $1 and asset_id = $2`,
    [assetId],
  );
}

/** A stored file of an asset. */
export async function findFile(db: TenantDatabase, assetId: string, variant: string): Promise<MediaFile | null> {
  const [file] = await db.query<MediaFile>(
    `select id, variant, media_type, size from media_files where tenant_id = $1 and asset_id = $2 and variant = $3`,
    [assetId, variant],
  );
  return file ?? null;
}

/**
 * Claims expired files: none of them can get an owner any more. They are returned again until they are
 * forgotten, so that a crash in between leaves nothing behind.
 */
export function claimExpired(db: TenantDatabase, limit: number): Promise<Pick<MediaFile, 'id'>[]> {
  return db.query(
    `update media_files set expires_at = '-infinity'
      where tenant_id = $1 and id in (
        select id from media_files where tenant_id = $1 and expires_at <= clock_timestamp()
         order by expires_at limit $2 for update skip locked)
      returning id`,
    [limit],
  );
}

/** Forgets files that the storage has deleted. */
export async function forgetFiles(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  await db.query(`delete from media_files where tenant_id = $1 and id = any($2::uuid[])`, [ids]);
}

/** Lets a file without an asset expire now. */
export async function expireFile(tx: TenantDatabase, id: string): Promise<void> {
  await tx.query(
    `update media_files set expires_at = date_trunc('milliseconds', now())
      where tenant_id = $1 and id = $2 and asset_id is null and expires_at > now()`,
    [id],
  );
}

const bytes = `select coalesce(sum(size), 0)::bigint as bytes from media_files
  where tenant_id = $1 and variant in ('original', 'upload', 'private')`;

/** The bytes of files that have an owner. */
export async function countOwnedBytes(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(`${bytes} and expires_at is null`);
  return row?.bytes ?? 0;
}

/** The bytes of files on their way to an owner. */
export async function countAwaitedBytes(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(`${bytes} and expires_at > now()`);
  return row?.bytes ?? 0;
}

/** A file as the export of a tenant has it. */
export interface ExportedFile {
  id: string;
  /** Null for a private file. */
  assetId: string | null;
  mediaType: MediaType;
  /** In bytes. */
  size: number;
}

/** Originals and private files that have an owner, by id. @param after the last id of the page before */
export function listExported(db: TenantDatabase, after: string, limit: number): Promise<ExportedFile[]> {
  return db.query<ExportedFile>(
    `select id, asset_id, media_type, size from media_files
      where tenant_id = $1 and variant in ('original', 'private') and expires_at is null and id > $2
      order by id limit $3`,
    [after, limit],
  );
}
