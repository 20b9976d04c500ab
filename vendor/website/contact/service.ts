/**
 * Rules of the contact form. Programs are kept out by a hidden field, a minimum time (token.ts), and limits of messages per hour;
 * nothing is stored about those who are refused.
 */
import { findStore } from '@carton/core';
import {
  type Database,
  invalidField,
  job,
  lockFor,
  publish,
  type TenantDatabase,
  tooManyRequests,
} from '@carton/runtime';
import { contactReceived } from '../events.ts';
import type { SendMessage } from './schemas.ts';
import { websiteSettings } from './settings.ts';
import { countRecent, messages } from './store.ts';
import { isTooEarly, minimumSeconds } from './token.ts';

/** Messages per hour, from one address and to one store. */
const limits = { own: 5, all: 200 };
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
  database: Database,
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
  await db.transaction(async (tx) => {
    // One after the other, so that concurrent messages do not exceed the limits.
    await lockFor(tx, 'contact');
    const recent = await countRecent(tx, emailKey);
    if (recent.own >= limits.own || recent.all >= limits.all) throw tryLater(3600);
    const { id, createdAt } = await messages.insert(tx, { ...message, email, emailKey, status: 'open' });
    await publish(tx, contactReceived, { type: 'contact_message', id }, { createdAt });
  });
}

const batchSize = 1000;

export async function deleteOldMessages(db: TenantDatabase): Promise<void> {
  const text = `
    delete from contact_messages where tenant_id = $1 and id in (
           select id from contact_messages
            where tenant_id = $1 and created_at < now() - $2 * interval '1 day'
            order by created_at limit ${batchSize})
    returning id`;
  while ((await db.query(text, [retentionDays])).length === batchSize);
}

export const forgetOldMessages = job({
  name: 'website.forget-messages',
  everySeconds: 86_400,
  run: deleteOldMessages,
});
