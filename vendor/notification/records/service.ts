/**
 * Rules of the records of mails: listing them, and sending one again.
 */
import { encodeCursor, newId, type Page, type TenantDatabase } from '@carton/runtime';
import { notificationErased, notificationQueuedAlready } from '../problems.ts';
import { publishQueued, queueMail } from './recording.ts';
import type { Notification, NotificationQuery } from './schemas.ts';
import { type NotificationRow, notifications } from './store.ts';

/** Before any other in the order of ids. */
const lowestId = '00000000-0000-0000-0000-000000000000';

function present({ resourceType, resourceId, ...row }: NotificationRow): Notification {
  return { ...row, about: { type: resourceType, id: resourceId } };
}

/**
 * The list is in the order of time, so a period is a part of it: it begins at `to`, by a cursor, and ends at `from`. As
 * conditions they would keep the database from using the index of the status.
 * @throws invalid_request (400) for a cursor of another list
 */
export async function listNotifications(
  db: TenantDatabase,
  { from, to, ...query }: NotificationQuery,
): Promise<Page<Notification>> {
  const start = to === undefined ? undefined : encodeCursor(['newest', new Date(to).toISOString(), lowestId]);
  const { items, nextCursor } = await notifications.page(db, { ...query, cursor: query.cursor ?? start });
  const first = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const within = items.filter(({ createdAt }) => Date.parse(createdAt) >= first);
  return { items: within.map(present), nextCursor: within.length < items.length ? null : nextCursor };
}

/**
 * Sends a mail again, as a record of its own, or a delayed mail at once. It is composed from present data, with new secrets.
 * @throws not_found (404), notification_queued (409), notification_erased (409)
 */
export function resend(db: TenantDatabase, id: string): Promise<Notification> {
  return db.transaction(async (tx) => {
    const { status, event, template, resourceType, resourceId, recipient, delayedUntil } = await notifications.lock(
      tx,
      id,
    );
    if (status === 'queued' && delayedUntil !== null) return present(await sendDelayed(tx, id));
    if (status === 'queued') throw notificationQueuedAlready('It will be sent without a request.');
    if (!event) throw notificationErased();
    const about = { type: resourceType, id: resourceId };
    const added = await queueMail(tx, { template, dedupeKey: newId(), about, event, recipient });
    return present(await notifications.require(tx, added as string));
  });
}

/** Sends a delayed mail at once, whatever guests have caused. */
async function sendDelayed(tx: TenantDatabase, id: string): Promise<NotificationRow> {
  const released = await notifications.change(tx, id, { admittedAt: new Date().toISOString(), delayedUntil: null });
  const { template, resourceType, resourceId } = released;
  await publishQueued(tx, { type: resourceType, id: resourceId }, { notificationId: id, template });
  return released;
}
