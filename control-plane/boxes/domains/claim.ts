/**
 * The domains of a box after a deployment. A domain belongs to one customer, who has proved it; a claim without a proof
 * prevents nobody from claiming the same name.
 */
import { isReservedDomain, newProof } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { recordEvent } from '../../events/outbox.ts';
import { domainProved } from '../../events/types.ts';
import { domainTaken } from '../problems.ts';
import { explainConflict, findConflicts } from './conflicts.ts';
import type { Claim } from './names.ts';
import {
  type ClaimedRow,
  type DomainRow,
  deleteClaims,
  lockDomains,
  lockOwnDomains,
  type ProvedBy,
  saveClaims,
} from './store.ts';

/** Days after which a claim that is not proved ends, unless the box is deployed again. */
export const claimDays = 7;
/** Days for which no other customer can have a domain that was released, or whose proof was lost. */
export const restDays = 7;

interface Claimant {
  customerId: string;
  boxId: string;
  /** False in closed networks: every domain is served without a proof. */
  provesDomains: boolean;
}

/**
 * Replaces the domains of a box. Those that stay keep their proofs.
 * @throws domain_taken (409) that names the domain; nothing is changed then
 */
export async function replaceDomains(
  transaction: Knex.Transaction,
  claimant: Claimant,
  claims: readonly Claim[],
): Promise<void> {
  const { customerId, boxId } = claimant;
  await lockDomains(transaction);
  const domains = [...new Set(claims.map(({ domain }) => domain))];
  const own = await lockOwnDomains(transaction, customerId, boxId, domains);
  const rowOf = new Map(own.map((row) => [row.domain, row]));
  const conflicts = await findConflicts(transaction, customerId, domains);
  for (const { sent, domain, index } of claims) {
    const conflict = conflicts.get(domain);
    const row = rowOf.get(domain);
    const detail = conflict
      ? explainConflict(sent, conflict)
      : row && row.boxId !== boxId && row.state !== 'resting'
        ? `${sent} is registered for your box ${row.boxName}. Deploy that box without it first.`
        : null;
    if (detail) throw domainTaken(detail, { errors: [{ in: 'body', pointer: `/domains/${index}`, detail }] });
  }
  const dropped = own.filter((row) => row.boxId === boxId && row.state !== 'resting' && !domains.includes(row.domain));
  const kept = domains.map((domain, position) => claimed(transaction, claimant, domain, position, rowOf.get(domain)));
  await saveClaims(transaction, [...kept, ...dropped.filter(rests).map((row) => resting(transaction, row))]);
  const forgotten = dropped.filter((row) => !rests(row)).map(({ domain }) => domain);
  await deleteClaims(transaction, customerId, forgotten);
  // Checks record the others. The box was saved before, which orders its events.
  for (const { domain, state } of kept) {
    if (state !== 'proved' || isServed(rowOf.get(domain))) continue;
    const payload = { customerId, domain, stopsAt: null };
    await recordEvent(transaction, domainProved, { resource: 'box', id: boxId, customerId }, payload);
  }
}

function isServed(row: DomainRow | undefined): boolean {
  return row?.state === 'proved' || row?.state === 'failing';
}

function claimed(
  transaction: Knex.Transaction,
  { customerId, boxId, provesDomains }: Claimant,
  domain: string,
  position: number,
  before: DomainRow | undefined,
): ClaimedRow {
  const now = transaction.fn.now();
  const place = { customerId, domain, boxId, position };
  const isReserved = isReservedDomain(domain);
  const proof = before?.proof ?? (isReserved ? null : newProof());
  const served = { ...place, state: 'proved', proof, claimEndsAt: null, restsUntil: null } as const;
  if (before?.state === 'proved' || before?.state === 'failing') {
    const { state, provedBy, stopsAt, nextCheckAt, misses } = before;
    return { ...served, state, provedBy, stopsAt, nextCheckAt, misses };
  }
  const unchecked = { stopsAt: null, misses: 0 };
  // Released and claimed again by the same customer: its proof, if it had one, is checked soon.
  if (before?.state === 'resting' && before.provedBy !== null) {
    const { provedBy } = before;
    return { ...served, ...unchecked, provedBy, nextCheckAt: isChecked(provedBy) ? now : null };
  }
  if (isReserved) return { ...served, ...unchecked, provedBy: 'reserved', nextCheckAt: null };
  if (!provesDomains) return { ...served, ...unchecked, provedBy: 'off', nextCheckAt: now };
  const claimEndsAt = transaction.raw('now() + make_interval(days => ?)', [claimDays]);
  const claim = { ...place, state: 'pending', provedBy: null, proof, claimEndsAt, stopsAt: null } as const;
  if (before?.state !== 'pending')
    return { ...claim, restsUntil: before?.restsUntil ?? null, nextCheckAt: now, misses: 0 };
  const { restsUntil, nextCheckAt, misses } = before;
  return { ...claim, restsUntil, nextCheckAt, misses };
}

/** Whether DNS must continue to prove a domain. One that was taken while proofs were off must, once they are on. */
function isChecked(provedBy: ProvedBy): boolean {
  return provedBy !== 'reserved' && provedBy !== 'earlier';
}

/** Whether a domain that its customer gives up rests: one that was served, possibly until recently. */
function rests({ state, restsUntil }: DomainRow): boolean {
  return state !== 'pending' || restsUntil !== null;
}

function resting(transaction: Knex.Transaction, row: DomainRow): ClaimedRow {
  const { customerId, domain, boxId, position, provedBy, proof, misses } = row;
  const restsUntil = row.restsUntil ?? transaction.raw('now() + make_interval(days => ?)', [restDays]);
  const times = { claimEndsAt: null, restsUntil, stopsAt: null, nextCheckAt: null };
  return { customerId, domain, boxId, position, state: 'resting', provedBy, proof, misses, ...times };
}
