/**
 * Grants for staff, and for the members who ordered.
 */
import { addTimelineEntry, findOrder, lockOrder, unknownOrder } from '@carton/order';
import { publish, type Static, type TenantDatabase } from '@carton/runtime';
import { lockShared } from '../files/store.ts';
import { downloadGrantClosed, noDownloads } from '../problems.ts';
import { linksRequested } from './events.ts';
import type { ChangeDownloadGrant, DownloadGrant, MemberDownloads } from './schemas.ts';
import { type GrantRow, grants, grantsOf } from './store.ts';

/** Whether the grant can still be used, apart from the number of downloads. */
export function isOpen({ endedAt, isExpired, fileId }: Pick<GrantRow, 'endedAt' | 'isExpired' | 'fileId'>): boolean {
  return endedAt === null && !isExpired && fileId !== null;
}

/** As buyers and staff see it. */
export function stateOf(grant: GrantRow): DownloadGrant['state'] {
  if (grant.endedAt !== null || grant.fileId === null) return 'ended';
  if (grant.isExpired) return 'expired';
  const { maxDownloads, downloadCount } = grant;
  return maxDownloads !== null && downloadCount >= maxDownloads ? 'limit_reached' : 'available';
}

/** A grant as staff see it. */
function presentGrant(row: GrantRow): DownloadGrant {
  const { isExpired: _, tokenHash: __, fileId: ___, openBytes: ____, ...grant } = row;
  return { ...grant, state: stateOf(row) };
}

/** @throws not_found (404) */
export async function listGrants(db: TenantDatabase, orderId: string): Promise<DownloadGrant[]> {
  if (!(await findOrder(db, orderId))) throw unknownOrder(orderId);
  return (await grantsOf(db, orderId)).map(presentGrant);
}

/** @throws not_found (404), also for an order of another member or of a guest */
export async function listOwnGrants(
  db: TenantDatabase,
  memberId: string,
  orderId: string,
): Promise<Static<typeof MemberDownloads>> {
  const order = await findOrder(db, orderId);
  if (order?.memberId !== memberId) throw unknownOrder(orderId);
  const items = (await grantsOf(db, orderId)).map((grant) => {
    const { id, lineItemId, fileName, size, downloadCount, maxDownloads, expiresAt } = grant;
    const state = stateOf(grant);
    const url = state === 'available' ? `/member/downloads/${id}` : null;
    return { id, lineItemId, fileName, size, state, downloadCount, maxDownloads, expiresAt, url };
  });
  return { items };
}

/** @throws not_found (404) */
export async function readGrant(db: TenantDatabase, id: string): Promise<DownloadGrant> {
  return presentGrant(await grants.require(db, id));
}

/**
 * Changes the limits of a grant, ends it, or opens it again.
 * @throws not_found (404), download_grant_closed (409) for one that a refund or a cancellation has ended, or whose file is
 *   released
 */
export function changeGrant(
  db: TenantDatabase,
  id: string,
  { ended, ...limits }: ChangeDownloadGrant,
): Promise<DownloadGrant> {
  return db.transaction(async (tx) => {
    const { orderId, downloadId } = await grants.require(tx, id);
    // Lock order: orders, grants, downloads.
    await lockOrder(tx, orderId);
    const grant = await grants.lock(tx, id);
    await lockShared(tx, downloadId);
    if (ended !== true) requireReopenable(await grants.require(tx, id));
    const end = endingOf(grant, ended);
    await grants.change(tx, id, { ...limits, ...end });
    return readGrant(tx, id);
  });
}

function requireReopenable({ endedBy, fileId }: GrantRow): void {
  if (endedBy !== null && endedBy !== 'staff') throw downloadGrantClosed(`It ended with a ${endedBy} of the order.`);
  if (fileId === null) throw downloadGrantClosed('Its file is deleted.');
}

function endingOf({ endedAt }: GrantRow, ended?: boolean): Partial<GrantRow> {
  if (ended === undefined || ended === (endedAt !== null)) return {};
  return ended ? { endedAt: new Date().toISOString(), endedBy: 'staff' } : { endedAt: null, endedBy: null };
}

/**
 * Asks for new links to the files of an order that can be downloaded. Those of earlier mails end once the mail is sent.
 * @throws not_found (404), no_downloads (409)
 */
export function sendLinks(db: TenantDatabase, orderId: string): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await lockOrder(tx, orderId))) throw unknownOrder(orderId);
    const usable = (await grantsOf(tx, orderId)).filter((grant) => stateOf(grant) === 'available');
    if (usable.length === 0) throw noDownloads();
    await addTimelineEntry(tx, orderId, 'download', 'New links to downloads were requested');
    const grantIds = usable.map(({ id }) => id);
    await publish(tx, linksRequested, { type: 'order', id: orderId }, { orderId, grantIds });
  });
}
