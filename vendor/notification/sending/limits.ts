/**
 * Limits of the mails that guests cause: an attacker who orders again and again with the address of another person must
 * not fill the mailbox of that person. What exceeds a limit is delayed and listed for staff, never dropped.
 */
import { job, lockFor, type MailGuest, mailGuests, type Resource, type TenantDatabase } from '@carton/runtime';
import { publishQueued } from '../records/recording.ts';
import type { NotificationRow } from '../records/store.ts';
import { countAdmitted, markAdmitted, releaseDelayed } from './store.ts';

/** Mails an hour to one address, and on request of one client. */
export const guestLimits = { recipient: 10, client: 20 } as const;

/** The guest who has caused the mails about a resource; null if no limit applies. */
async function guestOf(db: TenantDatabase, about: Resource): Promise<MailGuest | null> {
  for (const find of mailGuests.of(db)) {
    const guest = await find(db, about);
    if (guest) return guest;
  }
  return null;
}

/**
 * Decides whether a claimed mail may be sent now. A mail that was let pass once stays so, however often it is attempted.
 * @returns null if it may, else when to try again
 */
export async function admit(
  db: TenantDatabase,
  claimed: NotificationRow,
  to: string,
): Promise<{ delayedUntil: Date; limit: keyof typeof guestLimits } | null> {
  if (claimed.admittedAt !== null) return null;
  const guest = await guestOf(db, { type: claimed.resourceType, id: claimed.resourceId });
  if (!guest) return null;
  const recipient = to.toLowerCase();
  const { clientKey } = guest;
  return db.transaction(async (tx) => {
    // Mails are sent by several processes at once. Lock order: addresses before clients.
    await lockFor(tx, `notification.recipient ${recipient}`);
    if (clientKey !== null) await lockFor(tx, `notification.client ${clientKey}`);
    for (const [limit, key] of [['recipient', recipient] as const, ['client', clientKey] as const]) {
      const free = key === null ? null : await countAdmitted(tx, limit, key, guestLimits[limit]);
      if (free !== null) return { delayedUntil: free, limit };
    }
    await markAdmitted(tx, claimed.id, { recipient: to, clientKey });
    return null;
  });
}

/** Queues delayed mails whose time has come, the oldest first. */
export async function releaseDue(db: TenantDatabase): Promise<void> {
  let released: number;
  do {
    released = await db.transaction(async (tx) => {
      const due = await releaseDelayed(tx);
      for (const { id, template, resourceType, resourceId } of due)
        await publishQueued(tx, { type: resourceType, id: resourceId }, { notificationId: id, template });
      return due.length;
    });
  } while (released > 0);
}

export const releaseDelayedMails = job({ name: 'notification.release-delayed', everySeconds: 60, run: releaseDue });
