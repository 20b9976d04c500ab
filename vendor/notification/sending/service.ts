/**
 * Sends a recorded mail, in steps: claim the record, compose and render the mail, store its Message-ID, hand it to the
 * transport, record the outcome. No row is locked meanwhile.
 *
 * A process that dies between the last two steps leaves it open whether the server has the mail. It is then sent again
 * with the same Message-ID, by which servers and mail programs recognise a copy. Only in this window can the server get
 * a mail twice. A mail with a secret is sent with another Message-ID, because its new secret replaces the former.
 */
import { findStore } from '@carton/core';
import {
  type ComposedMail,
  type DeliveredEvent,
  Email,
  errorText,
  faults,
  type MailTemplate,
  mailTemplates,
  Problem,
  publish,
  type Retries,
  type TenantDatabase,
  tooCostly,
} from '@carton/runtime';
import { notificationFailed, notificationSent } from '../events.ts';
import { TextFault } from '../liquid/fault.ts';
import { type NotificationRow, notifications } from '../records/store.ts';
import { type RenderOptions, renderMail } from '../templates/texts.ts';
import { boundTransport, noTransport } from '../transports/bound.ts';
import { domainOf, senderOf, withoutControls } from '../transports/sender.ts';
import { MailRefused, type MailTransport, type OutgoingMail } from '../transports/transport.ts';
import { admit, guestLimits } from './limits.ts';
import { changeClaimed, claimNotification } from './store.ts';

/** 15 seconds, then 30, 60 …, at most five minutes, for about three days. */
export const sendRetries: Retries = { attempts: 780, first: 15, factor: 2, most: 300 };

/** Milliseconds of an attempt; less than its lease, so that two boxes do not send a mail at the same time. */
const attemptTimeout = 30_000;

/** A mail that need not be sent: the message says why. */
class NotNeeded extends Error {}

/** A mail that can never be sent: the message says why. */
class Unsendable extends Error {}

/** Why a mail is delayed, for staff. */
const reasons = {
  recipient: `Delayed: guests have caused ${guestLimits.recipient} mails to this address within an hour.`,
  client: `Delayed: the orders of one client have caused ${guestLimits.client} mails within an hour.`,
};

/**
 * Attempts for a mail whose texts take too much time or memory. The first may have had a busy machine; others would cost
 * as much. Staff find it as failed, and send it again once they have changed the text.
 */
const costlyAttempts = 3;

/**
 * Makes one attempt.
 * @throws Error, without the recipient's data, if the mail must be retried
 */
export async function sendMail(
  db: TenantDatabase,
  { payload, attempt }: Pick<DeliveredEvent<{ notificationId: string }>, 'payload' | 'attempt'>,
): Promise<void> {
  const signal = AbortSignal.timeout(attemptTimeout);
  const claimed = await claimNotification(db, payload.notificationId);
  if (!claimed) {
    const found = await notifications.find(db, payload.notificationId);
    if (found?.status !== 'queued' || found.delayedUntil !== null) return;
    throw new Error('another box is sending the mail');
  }
  try {
    const transport = boundTransport(db);
    if (!transport) throw new NotNeeded(noTransport);
    const mail = await prepare(db, claimed);
    if (mail === null) return;
    await handOver(db, transport, mail, signal);
    await recordSent(db, claimed);
  } catch (error) {
    await recordFailure(db, claimed, error as Error, attempt >= sendRetries.attempts);
  }
}

/** Composes and renders a mail, and stores what identifies it. Null if it is delayed. */
async function prepare(db: TenantDatabase, claimed: NotificationRow): Promise<OutgoingMail | null> {
  const template = mailTemplates.of(db).find(({ key }) => key === claimed.template);
  if (!template?.compose || !claimed.event) throw new NotNeeded('The box has no such mail any more.');
  const composed = await template.compose(db, claimed.event);
  if (!composed) throw new NotNeeded('The reason for the mail no longer exists.');
  const to = (template.toStore ? claimed.recipient : composed.to) ?? '';
  verifyComposed(template, to, composed.data);
  const delay = template.toStore ? null : await admit(db, claimed, to);
  if (delay) {
    const { delayedUntil } = delay;
    await changeClaimed(db, claimed, { recipient: to, error: reasons[delay.limit], leaseUntil: null, delayedUntil });
    return null;
  }
  const store = await findStore(db);
  const { locale, subject, text, html } = await renderMail(db, template, composed.data as object, {
    store,
    locale: composed.locale,
    localized: composed.localized as RenderOptions['localized'],
  });
  const sender = await senderOf(db, store);
  const { secret } = template;
  const domain = domainOf(sender.from.address);
  const messageId = secret
    ? `<${claimed.id}.${claimed.attempts}@${domain}>`
    : (claimed.messageId ?? `<${claimed.id}@${domain}>`);
  const stored = { recipient: to, locale, subject: secret ? null : subject, messageId };
  if (!(await changeClaimed(db, claimed, stored))) throw new Error('the claim on the mail expired');
  return { messageId, ...sender, ...answersOf(composed), to, subject, text, html };
}

/** To whom an answer to the mail goes, if it says so. An address that mail servers refuse is left out. */
function answersOf({ replyTo }: ComposedMail): Pick<OutgoingMail, 'replyTo'> | null {
  if (!replyTo || faults(Email, replyTo.address)) return null;
  return { replyTo: { name: withoutControls(replyTo.name), address: replyTo.address } };
}

/** Top-level domains of addresses that never resolve, such as those of erased persons (RFC 2606). */
const unreachable = /\.invalid$/i;

function verifyComposed({ data: schema, key }: MailTemplate, to: string, data: unknown): void {
  if (unreachable.test(to)) throw new NotNeeded('The recipient has been erased.');
  if (faults(Email, to)) throw new Unsendable('The recipient has no valid e-mail address.');
  const wrong = faults(schema, data);
  if (wrong) throw new Unsendable(`The data of ${key} does not match its schema: ${wrong}`);
}

async function handOver(
  db: TenantDatabase,
  transport: MailTransport,
  mail: OutgoingMail,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await transport.send(db, mail, signal);
}

function recordSent(db: TenantDatabase, claimed: NotificationRow): Promise<void> {
  return db.transaction(async (tx) => {
    const sent = { status: 'sent', error: null, sentAt: new Date(), leaseUntil: null } as const;
    if (!(await changeClaimed(tx, claimed, sent))) return;
    await publish(tx, notificationSent, { type: 'notification', id: claimed.id }, payloadOf(claimed));
  });
}

function payloadOf({ template, resourceType, resourceId }: NotificationRow) {
  return { template, about: { type: resourceType, id: resourceId } };
}

/** Records why an attempt failed. @throws Error if there is to be another */
async function recordFailure(
  db: TenantDatabase,
  claimed: NotificationRow,
  error: Error,
  isLast: boolean,
): Promise<void> {
  const message = errorText(error);
  if (error instanceof NotNeeded) {
    await changeClaimed(db, claimed, { status: 'not_sent', error: message, leaseUntil: null });
    return;
  }
  const isTooCostly =
    error instanceof Problem && error.type.code === tooCostly.code && claimed.attempts >= costlyAttempts;
  const isFinal =
    isLast || isTooCostly || error instanceof MailRefused || error instanceof TextFault || error instanceof Unsendable;
  if (!isFinal) {
    await changeClaimed(db, claimed, { error: message, leaseUntil: null });
    // Deliveries store this message, and the server's response may contain the recipient's address.
    throw new Error(`the mail was not accepted: see the notification ${claimed.id}`);
  }
  await db.transaction(async (tx) => {
    if (!(await changeClaimed(tx, claimed, { status: 'failed', error: message, leaseUntil: null }))) return;
    const code = error instanceof MailRefused ? (/\b5\d\d\b/.exec(message)?.[0] ?? null) : null;
    await publish(tx, notificationFailed, { type: 'notification', id: claimed.id }, { ...payloadOf(claimed), code });
  });
}
