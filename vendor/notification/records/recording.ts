/**
 * Records the mails of an event, to be sent. It happens in the transaction of the event's delivery, so that each is
 * recorded exactly once.
 */
import {
  type DeliveredEvent,
  type HasExtensions,
  type MailEvent,
  type MailTemplate,
  mailTemplates,
  publish,
  type Resource,
  type TenantDatabase,
} from '@carton/runtime';
import { notificationQueued } from '../events.ts';
import { findDisabled } from '../templates/store.ts';
import { boundTransport, noTransport } from '../transports/bound.ts';
import { contactAddresses, staffAddresses } from '../transports/sender.ts';
import { insertNotification, type NewNotification } from './store.ts';

/** Mails of an order and of its payments are recorded, and so sent, in the order of their events. */
export function orderOfMails(box: HasExtensions, event: MailEvent): string {
  const template = mailTemplates.of(box).find(({ event: sentFor, about }) => about && sentFor?.type === event.type);
  return (template?.about?.(event) ?? event.resource).id;
}

/** Records a mail for each template of the event, and for each address if it goes to the store's staff. */
export async function recordMails(tx: TenantDatabase, delivered: DeliveredEvent): Promise<void> {
  const { id, type, resource, payload, createdAt } = delivered;
  const event: MailEvent = { id, type, resource, payload, createdAt };
  const templates = mailTemplates.of(tx).filter((template) => template.event?.type === type);
  if (templates.length === 0) return;
  const disabled = await disabledIn(tx);
  for (const template of templates.filter(({ key }) => !disabled.has(key))) await recordMail(tx, template, event);
}

const disabledByTransaction = new WeakMap<TenantDatabase, Promise<ReadonlySet<string>>>();

/** The disabled templates, read once in a transaction, which delivers many events. */
function disabledIn(tx: TenantDatabase): Promise<ReadonlySet<string>> {
  const read = disabledByTransaction.get(tx) ?? findDisabled(tx);
  disabledByTransaction.set(tx, read);
  return read;
}

async function recipientsOf(tx: TenantDatabase, { toStore }: MailTemplate): Promise<readonly (string | null)[]> {
  if (!toStore) return [null];
  return toStore === 'contact' ? contactAddresses(tx) : staffAddresses(tx);
}

async function recordMail(tx: TenantDatabase, template: MailTemplate, event: MailEvent): Promise<void> {
  const about = template.about?.(event) ?? event.resource;
  const recipients = await recipientsOf(tx, template);
  for (const recipient of recipients) {
    const dedupeKey = recipient === null ? event.id : `${event.id} ${recipient.toLowerCase()}`;
    await queueMail(tx, { template: template.key, dedupeKey, about, event, recipient });
  }
}

/**
 * Records one mail, unless there is a record with its template and key: queued, or as not sent if the box has no
 * transport. Returns its id.
 */
export async function queueMail(tx: TenantDatabase, mail: NewNotification): Promise<string | null> {
  const isQueued = boundTransport(tx) !== null;
  const id = await insertNotification(tx, mail, isQueued ? null : noTransport);
  if (id !== null && isQueued) await publishQueued(tx, mail.about, { notificationId: id, template: mail.template });
  return id;
}

export function publishQueued(
  tx: TenantDatabase,
  about: Resource,
  payload: { notificationId: string; template: string },
): Promise<void> {
  return publish(tx, notificationQueued, about, payload);
}
