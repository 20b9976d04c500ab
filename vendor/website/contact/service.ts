/**
 * Rules of the contact form. Programs are kept out by a hidden field, a minimum time (token.ts), and limits of messages per
 * hour; nothing is stored about those who are refused. A client is refused for its own messages only: whatever others send,
 * a message is stored, and above the limit of the store only its mail waits.
 */
import { findStore } from '@carton/core';
import {
  addressBlock,
  type Database,
  hashToken,
  invalidField,
  job,
  lockFor,
  publish,
  type RequestClient,
  type TenantDatabase,
  tooManyRequests,
} from '@carton/runtime';
import { contactReceived } from '../events.ts';
import type { SendMessage } from './schemas.ts';
import { websiteSettings } from './settings.ts';
import { announceOldest, countAnnounced, countOfClient, deleteOlderThan, forgetClients, messages } from './store.ts';
import { isTooEarly, minimumSeconds } from './token.ts';

/** Messages per hour: of one client with one e-mail address, and with any; mails about messages to one store. */
const limits = { own: 5, client: 20, store: 200 };
const retentionDays = 365;

const tryLater = (seconds: number) =>
  tooManyRequests(`Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });

/**
 * Stores a message. A program that fills in the hidden field, or sends the form too early with its token, gets the
 * response of a success.
 * @throws invalid_request (400), contact_form_expired (409), too_many_requests (429)
 */
export async function receiveMessage(
  db: TenantDatabase,
  { database, client }: { database: Database; client: Pick<RequestClient, 'address' | 'isShared'> },
  { website = '', secondsOpen, token, email, ...message }: SendMessage,
): Promise<void> {
  if (website !== '') return;
  if (token !== undefined) {
    if (await isTooEarly(database, db.tenantId, token)) return;
  } else if (websiteSettings.of(await findStore(db)).contactTokenRequired) {
    throw invalidField('/token', 'is required by this store');
  } else if (secondsOpen === undefined) {
    throw invalidField('/secondsOpen', 'is required without a token');
  }
  if (secondsOpen !== undefined && secondsOpen < minimumSeconds) throw tryLater(minimumSeconds - secondsOpen);
  const emailKey = email.toLowerCase();
  const clientKey = client.isShared ? null : hashToken(`${db.tenantId} ${addressBlock(client.address)}`);
  await db.transaction(async (tx) => {
    // One after the other, so that concurrent messages do not exceed the limits.
    await lockFor(tx, 'contact');
    const recent = await countOfClient(tx, { clientKey, emailKey });
    if (recent.own >= limits.own || (clientKey !== null && recent.all >= limits.client)) throw tryLater(3600);
    const mailDelayed = (await countAnnounced(tx)) >= limits.store;
    const sender = { email, emailKey, clientKey };
    const { id, createdAt } = await messages.insert(tx, { ...message, ...sender, status: 'open', mailDelayed });
    if (!mailDelayed) await publish(tx, contactReceived, { type: 'contact_message', id }, { createdAt });
  });
}

/** Announces messages whose mails wait, as far as the limit of the store allows, the oldest first. */
export async function announceMessages(db: TenantDatabase): Promise<void> {
  await forgetClients(db);
  await db.transaction(async (tx) => {
    await lockFor(tx, 'contact');
    const free = limits.store - (await countAnnounced(tx));
    if (free <= 0) return;
    for (const { id, createdAt } of await announceOldest(tx, free))
      await publish(tx, contactReceived, { type: 'contact_message', id }, { createdAt });
  });
}

export const announceDelayed = job({ name: 'website.announce-messages', everySeconds: 60, run: announceMessages });

const batchSize = 1000;

export async function deleteOldMessages(db: TenantDatabase): Promise<void> {
  while ((await deleteOlderThan(db, retentionDays, batchSize)) === batchSize);
}

export const forgetOldMessages = job({
  name: 'website.forget-messages',
  everySeconds: 86_400,
  run: deleteOldMessages,
});
