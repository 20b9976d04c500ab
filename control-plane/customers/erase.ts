/**
 * Erasure of a customer, in the transaction of its row in the journal: either all of it has happened, or nothing.
 */
import { newId } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { countJournalOf } from '../administrators/customer.ts';
import { eraseBoxes } from '../boxes/customer.ts';
import { restDays } from '../boxes/domains/claim.ts';
import { lockErasures, markDays, markErased } from '../erasures.ts';
import { eraseEventsOf } from '../events/outbox.ts';
import { eraseLicenses, lockLicensesOf } from '../license/customer.ts';
import { longestTokenHours } from '../license/withdrawals.ts';
import { eraseDownloads } from '../telemetry/customer.ts';
import { notHeld } from './export.ts';
import { customerHasLicences } from './problems.ts';
import type { Erasure } from './schemas.ts';

/**
 * Erases what is stored of a customer. What has to stay has another name in place of the customer's, except in the journal.
 * @param revoke whether licences that are not revoked are revoked first
 * @throws customer_has_licences (409), not_found (404) if nothing is stored of the customer and it was never erased
 */
export async function eraseCustomer(
  transaction: Knex.Transaction,
  customerId: string,
  revoke: boolean,
): Promise<Erasure> {
  await lockErasures(transaction);
  const licences = await lockLicensesOf(transaction, customerId);
  const left = licences.filter(({ status }) => status !== 'revoked');
  if (left.length > 0 && !revoke) {
    const list = left.map(({ id, status }) => `${id} (${status})`).join(', ');
    throw customerHasLicences(`Revoke them, or send revoke: true, which stops their boxes’ domains: ${list}.`);
  }
  const name = `erased-${newId()}`;
  // While the licences have the name of the customer.
  const journal = await countJournalOf(transaction, customerId);
  const downloads = await eraseDownloads(transaction, customerId);
  const { boxes, domains, resting } = await eraseBoxes(transaction, customerId, name);
  const { licences: renamed, ...ofLicences } = await eraseLicenses(transaction, customerId, name);
  const events = await eraseEventsOf(transaction, customerId);
  const wasErased = await markErased(transaction, customerId);
  const removed = { ...ofLicences, boxes, domains, ...downloads, events };
  const isEmpty = [...Object.values(removed), renamed, resting].every((count) => count === 0);
  if (isEmpty && !wasErased) throw notHeld(customerId);
  return { customerId, removed, kept: keptOf({ licences: renamed, domains: resting, journal }) };
}

const reasons = {
  licences: `Under another name, without label and notes, for ${longestTokenHours} hours: until then, the registry refuses their tokens by their ids.`,
  domains: `Under another name, for ${restDays} days at most: DNS may still lead to the vendor, so no other customer can have them at once. DELETE /boxes/domains/{domain} ends that.`,
  journal:
    'As they are: the journal proves who changed what. Each row has a hash over all before it, so that none can be changed.',
  erasure: `The SHA-256 of the customer’s id, for ${markDays} days, so that late reports are not stored under it.`,
};

function keptOf(counts: Omit<Record<keyof typeof reasons, number>, 'erasure'>): Erasure['kept'] {
  return Object.entries({ ...counts, erasure: 1 }).flatMap(([what, count]) =>
    count === 0 ? [] : { what: what as keyof typeof reasons, count, reason: reasons[what as keyof typeof reasons] },
  );
}
