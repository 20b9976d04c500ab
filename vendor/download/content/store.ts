/**
 * Queries of the counts of downloads.
 */
import type { TenantDatabase } from '@carton/runtime';

/** After a download began, in which its parts count nothing. */
const resumable = `interval '24 hours'`;
/** How many downloads of a grant include some bytes again, for what connections lose. */
const withLosses = 3;

/** What a request takes of a grant, in bytes. */
interface RequestedBytes {
  bytes: number;
  /** Of the file. */
  size: number;
  /** What one of the first downloads includes beside the file. */
  losses: number;
}

/**
 * Takes the bytes of a request from what the downloads that have begun may still send, or counts another download. In one
 * statement, so that of concurrent requests each has what the others have left. False if the grant has ended, or was used
 * as often as it may be.
 */
export async function countBytes(
  db: TenantDatabase,
  grantId: string,
  { bytes, size, losses }: RequestedBytes,
): Promise<boolean> {
  const isRecent = `coalesce(last_downloaded_at > now() - ${resumable}, false)`;
  const fits = `(${isRecent} and open_bytes >= $3)`;
  const found = await db.query(
    `update download_grants
        set open_bytes = open_bytes - $3
              + case when ${fits} then 0 else $4::bigint + case when download_count < ${withLosses} then $5::bigint else 0 end end,
            download_count = download_count + case when ${fits} then 0 else 1 end,
            first_downloaded_at = coalesce(first_downloaded_at, now()),
            last_downloaded_at = case when ${fits} then last_downloaded_at else now() end,
            updated_at = case when ${fits} then updated_at else now() end
      where tenant_id = $1 and id = $2 and ended_at is null and (expires_at is null or expires_at > now())
        and (${fits} or max_downloads is null or download_count < max_downloads)
      returning id`,
    [grantId, bytes, size, losses],
  );
  return found.length > 0;
}

/** Returns what a request did not send, since its client has disconnected. */
export async function returnBytes(db: TenantDatabase, grantId: string, bytes: number): Promise<void> {
  await db.query('update download_grants set open_bytes = open_bytes + $3 where tenant_id = $1 and id = $2', [
    grantId,
    bytes,
  ]);
}
