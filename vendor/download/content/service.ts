/**
 * The files as buyers download them, and the count of downloads.
 *
 * A download counts when it begins, and includes the bytes of the file; the first three include a quarter of them again, for
 * what connections lose. Each request takes its bytes from what is left of the downloads that have begun, and returns those
 * that it did not send; one that does not fit, or comes after a day, begins another download. So a client may resume a
 * download, load its parts side by side, or ask for the first bytes alone, without using it up. What is sent is less than one
 * file more than was counted, so nobody gets more complete files than that.
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
import { isOpen } from '../grants/service.ts';
import { type GrantRow, grants } from '../grants/store.ts';
import { downloadEnded, downloadLimitReached } from '../problems.ts';
import { countBytes, returnBytes } from './store.ts';

/** The part of the file that each of the first downloads includes again: together less than a file. */
const lost = 1 / 4;

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

/** @throws download_ended (410); when it is read, also download_limit_reached (410) */
function contentOf(db: TenantDatabase, grant: GrantRow): FileContent {
  if (!isOpen(grant)) throw downloadEnded();
  const { fileId, size, fileName } = grant;
  const content = privateContent(db, { id: fileId as string, size }, fileName);
  return { ...content, open: (range) => counted(db, grant, content.open(range), range) };
}

/** Counts the request once the storage has the file, before anything is sent. */
async function* counted(db: TenantDatabase, grant: GrantRow, content: Chunks, range?: ByteRange): Chunks {
  const chunks = content[Symbol.asyncIterator]();
  let unsent = range ? range.end - range.start + 1 : grant.size;
  try {
    const first = await chunks.next();
    await countRequest(db, grant, unsent);
    try {
      for (let next = first; !next.done; next = await chunks.next()) {
        unsent -= next.value.length;
        yield next.value;
      }
    } finally {
      if (unsent > 0) await returnBytes(db, grant.id, unsent);
    }
  } finally {
    await chunks.return?.();
  }
}

/** @throws download_ended, download_limit_reached (410) */
async function countRequest(db: TenantDatabase, grant: GrantRow, bytes: number): Promise<void> {
  if (grant.firstDownloadedAt !== null) {
    await count(db, grant, bytes);
    return;
  }
  // Lock order: orders, grants. The entry in the timeline refers to the order.
  await db.transaction(async (tx) => {
    await lockOrder(tx, grant.orderId);
    const { firstDownloadedAt, fileName } = await grants.require(tx, grant.id);
    await count(tx, grant, bytes);
    if (firstDownloadedAt !== null) return;
    await addTimelineEntry(tx, grant.orderId, 'download', `Downloaded for the first time: ${fileName}`);
  });
}

async function count(db: TenantDatabase, { id, size }: GrantRow, bytes: number): Promise<void> {
  if (await countBytes(db, id, { bytes, size, losses: Math.floor(size * lost) })) return;
  const grant = await grants.require(db, id);
  if (!isOpen(grant)) throw downloadEnded();
  throw downloadLimitReached(`It was downloaded ${grant.downloadCount} times.`);
}
