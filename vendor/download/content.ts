/**
 * The files as buyers download them, and the count of downloads.
 *
 * A download counts when it begins: a request for a file from its first byte counts one, a request for a later part only
 * if none has counted for a day. So a client may resume a download, or load its parts side by side, without using it up.
 */
import { countWrongToken } from '@carton/auth';
import { privateContent } from '@carton/media';
import { addTimelineEntry, findOrder, lockOrder } from '@carton/order';
import {
  type BoxServices,
  type ByteRange,
  type Chunks,
  type FileContent,
  hashToken,
  notFound,
  type TenantDatabase,
} from '@carton/runtime';
import { downloadEnded, downloadLimitReached } from './problems.ts';
import { downloads, type GrantRow, grants, isOpen } from './store.ts';

/** After a download began, in which its other parts count nothing. */
const resumable = `interval '24 hours'`;

/**
 * The file behind a link. Only unknown tokens count as attempts: a download has many requests at the same time.
 * @throws not_found (404) for an unknown token, too_many_requests (429) after several of them, and as `contentOf`
 */
export async function readByToken(
  { db, client }: Pick<BoxServices, 'db' | 'client'>,
  token: string,
): Promise<FileContent> {
  const grant = await grants.findBy(db, { tokenHash: hashToken(token) });
  if (!grant) {
    await countWrongToken(db, { realm: 'download', token: 'link', address: client.address });
    throw notFound('No download has this address. It may have been replaced by that of a newer mail.');
  }
  return contentOf(db, grant);
}

/** The file of a grant of a member's order. @throws not_found (404), and as `contentOf` */
export async function readOwn(db: TenantDatabase, memberId: string, grantId: string): Promise<FileContent> {
  const grant = await grants.require(db, grantId);
  const order = await findOrder(db, grant.orderId);
  if (order?.memberId !== memberId) throw notFound(`No grant of a download has the id ${grantId}.`);
  return contentOf(db, grant);
}

/** The file for staff, which counts nothing. @throws not_found (404) */
export async function readForStaff(db: TenantDatabase, downloadId: string): Promise<FileContent> {
  const { fileId, size, fileName } = await downloads.require(db, downloadId);
  return privateContent(db, { id: fileId as string, size }, fileName);
}

/** @throws download_ended (410); when it is read, also download_limit_reached (410) */
function contentOf(db: TenantDatabase, grant: GrantRow): FileContent {
  if (!isOpen(grant)) throw downloadEnded();
  const { fileId, size, fileName } = grant;
  const content = privateContent(db, { id: fileId as string, size }, fileName);
  return { ...content, open: (range) => counted(db, grant, content.open(range), range) };
}

/** Counts the download once the storage has the file, before anything is sent. */
async function* counted(db: TenantDatabase, grant: GrantRow, content: Chunks, range?: ByteRange): Chunks {
  const chunks = content[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    await countDownload(db, grant, (range?.start ?? 0) === 0);
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  } finally {
    await chunks.return?.();
  }
}

/** @throws download_ended, download_limit_reached (410) */
async function countDownload(db: TenantDatabase, grant: GrantRow, isStart: boolean): Promise<void> {
  const { id, orderId, fileName, firstDownloadedAt } = grant;
  if (firstDownloadedAt !== null) {
    await count(db, id, isStart);
    return;
  }
  // Lock order: orders, grants. The entry in the timeline refers to the order.
  await db.transaction(async (tx) => {
    await lockOrder(tx, orderId);
    const number = await count(tx, id, isStart);
    if (number === 1) await addTimelineEntry(tx, orderId, 'download', `Downloaded for the first time: ${fileName}`);
  });
}

/** Returns the number of downloads with this one; null if it counts nothing. */
async function count(db: TenantDatabase, id: string, isStart: boolean): Promise<number | null> {
  const [counted] = await db.query<{ downloadCount: number }>(
    `update download_grants
        set download_count = download_count + 1, first_downloaded_at = coalesce(first_downloaded_at, now()),
            last_downloaded_at = now(), updated_at = now()
      where tenant_id = $1 and id = $2 and ended_at is null and (expires_at is null or expires_at > now())
        and (max_downloads is null or download_count < max_downloads)
        and ($3 or last_downloaded_at is null or last_downloaded_at <= now() - ${resumable})
      returning download_count`,
    [id, isStart],
  );
  if (counted) return counted.downloadCount;
  const grant = await grants.require(db, id);
  if (!isOpen(grant)) throw downloadEnded();
  if (!isStart && (await isResumable(db, id))) return null;
  throw downloadLimitReached(`It was downloaded ${grant.downloadCount} times.`);
}

async function isResumable(db: TenantDatabase, id: string): Promise<boolean> {
  const found = await db.query(
    `select id from download_grants where tenant_id = $1 and id = $2 and last_downloaded_at > now() - ${resumable}`,
    [id],
  );
  return found.length > 0;
}
