/**
 * Which domains a customer cannot have because they overlap those of another one.
 */
import { baseOfDomain, isPublicSuffix } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { findTaken, type TakenDomain } from './store.ts';

/**
 * Finds for each of these domains a reason why the customer cannot have it: another customer's domain at, above or below
 * it. Domains above include the wildcards over it. Call it after `lockDomains`.
 * @param domains all that the customer claims together
 */
export async function findConflicts(
  transaction: Knex.Transaction,
  customerId: string,
  domains: readonly string[],
): Promise<Map<string, TakenDomain>> {
  const conflicts = new Map<string, TakenDomain>();
  for (const taken of await findTaken(transaction, customerId, domains)) {
    if (conflicts.has(taken.claimed)) continue;
    // With its claim of the whole domain, a customer may also claim names below it: `www` beside the domain itself.
    if (domains.some((claimed) => isContestable({ ...taken, claimed }))) continue;
    // Earlier releases let customers register public suffixes, such as `*.co.uk`, unproved.
    if (taken.provedBy === 'earlier' && (await isPublicSuffix(taken.domain))) continue;
    conflicts.set(taken.claimed, taken);
  }
  return conflicts;
}

/**
 * Whether a claim may end what another customer has: the nameservers are the same for all customers, so delegation does not
 * tell whose domain it is, as a TXT record with the token of one customer does. It must be a claim of the whole domain:
 * who writes records below it does not have it.
 */
export function isContestable({ claimed, domain, provedBy }: TakenDomain): boolean {
  const [own, other] = [baseOfDomain(claimed), baseOfDomain(domain)];
  return provedBy === 'delegation' && (own === other || other.endsWith(`.${own}`));
}

/** Explains a conflict without naming the other customer. */
export function explainConflict(name: string, { claimed, domain, restsUntil }: TakenDomain): string {
  const overlap = claimed === domain ? '' : ` overlaps ${domain}, which`;
  if (restsUntil === null) {
    return `${name}${overlap} belongs to another customer. If it is yours, ask the vendor to release it.`;
  }
  return `${name}${overlap} belonged to another customer until recently. It is available from ${new Date(restsUntil).toISOString()}, or when the vendor releases it.`;
}
