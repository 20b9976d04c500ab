/**
 * Rules of the records of mails: listing them, and sending one again.
 */
import { newId, type Page, type TenantDatabase } from '@carton/runtime';
import { notificationErased, notificationQueuedAlready } from './problems.ts';
import { queueMail } from './record.ts';
import type { Notification, NotificationQuery } from './schemas.ts';
import { type NotificationRow, notifications } from './store.ts';

function present({ resourceType, resourceId, ...row }: NotificationRow): Notification {
  return { ...row, about: { type: resourceType, id: resourceId } };
}

export async function listNotifications(db: TenantDatabase, query: NotificationQuery): Promise<Page<Notification>> {
  const page = await notifications.page(db, query);
  return { ...page, items: page.items.map(present) };
}

/**
 * Sends a mail again, as a record of its own. It is composed from present data, with new secrets.
 * @throws not_found (404), notification_queued (409), notification_erased (409)
 */
export function resend(db: TenantDatabase, id: string): Promise<Notification> {
  return db.transaction(async (tx) => {
    const { status, event, template, resourceType, resourceId, recipient } = await notifications.lock(tx, id);
    if (status === 'queued') throw notificationQueuedAlready('It will be sent without a request.');
    if (!event) throw notificationErased();
    const about = { type: resourceType, id: resourceId };
    const added = await queueMail(tx, { template, dedupeKey: newId(), about, event, recipient });
    return present(await notifications.require(tx, added as string));
  });
}
