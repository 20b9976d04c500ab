/**
 * Stores the outcomes of checks. A check takes seconds and holds no lock, so the domain may have changed meanwhile: it is
 * read again, and of two customers who prove a domain at the same time one gets it.
 */
import { isUniqueViolation } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { recordEvent } from '../../events/outbox.ts';
import { domainFailing, domainProved, domainRecovered, domainStopped } from '../../events/types.ts';
import { claimDays, restDays } from '../domains/claim.ts';
import { explainConflict, findConflicts, isContestable } from '../domains/conflicts.ts';
import { type DomainRow, endDelegated, findTaken, isContested, lockDomains } from '../domains/store.ts';
import type { DomainError } from '../schemas.ts';
import type { Outcome } from './check.ts';
import { type Transition, transitionOf } from './transitions.ts';

/** What is written to the log; pino's logger has these. */
export interface DomainLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Stores what a check of a domain found, and changes its state accordingly. */
export async function storeOutcome(
  db: Knex,
  { customerId, domain, proof }: Pick<DomainRow, 'customerId' | 'domain' | 'proof'>,
  outcome: Outcome,
  log: DomainLog,
): Promise<void> {
  const told = await db
    .transaction(async (transaction) => {
      const isProof = outcome.result === 'record' || outcome.result === 'delegation';
      if (isProof) await lockDomains(transaction);
      const row = await findCurrent(transaction, { customerId, domain, proof });
      if (!row) return null;
      const obstacle =
        isProof && row.state === 'pending' ? await findObstacle(transaction, row, outcome.result === 'record') : null;
      const transition = transitionOf(row, outcome, obstacle !== null);
      const { findings } = outcome;
      const errors = obstacle ? [obstacle] : findings.errors;
      const stopsAt = await save(transaction, row, transition, { ...findings, errors });
      const { event } = transition;
      if (event) {
        const subject = { resource: 'box', id: row.boxId, customerId };
        await recordEvent(transaction, eventOf[event], subject, { customerId, domain, stopsAt });
      }
      return { ...transition, stopsAt };
    })
    .catch((error) => {
      // The lock prevents this; without it, the index would still reject a second owner. The next check tells why.
      if (isUniqueViolation(error, 'box_domains_one_owner')) return null;
      throw error;
    });
  if (told) tell(log, { customerId, domain }, told);
}

/**
 * Why a domain is not its claimant's in spite of its proof; null if it is. What others have of it by delegation ends where
 * the proof is a record.
 */
async function findObstacle(
  transaction: Knex.Transaction,
  { customerId, domain }: Pick<DomainRow, 'customerId' | 'domain'>,
  isByRecord: boolean,
): Promise<DomainError | null> {
  const conflict = (await findConflicts(transaction, customerId, [domain])).get(domain);
  if (conflict) return takenError(explainConflict(domain, conflict));
  const contested = (await findTaken(transaction, customerId, [domain])).filter(isContestable);
  if (!isByRecord) {
    const isShared = contested.length > 0 || (await isContested(transaction, customerId, domain));
    return isShared ? sharedDelegation(domain) : null;
  }
  for (const taken of contested) {
    // A wildcard is found both at the domain and below it.
    if (!(await endDelegated(transaction, taken))) continue;
    const subject = { resource: 'box', id: taken.boxId, customerId: taken.customerId };
    const payload = { customerId: taken.customerId, domain: taken.domain, stopsAt: null };
    if (taken.restsUntil === null) await recordEvent(transaction, domainStopped, subject, payload);
  }
  // Several of them may be below the domain, of which each lookup finds one.
  return contested.length > 0 ? findObstacle(transaction, { customerId, domain }, isByRecord) : null;
}

const sharedDelegation = (domain: string): DomainError => ({
  code: 'delegation_shared',
  detail: `Another customer claims ${domain} too, and both would be proved by the same nameservers.`,
  fix: 'Set the TXT record at the DNS provider that the domain had before, verify it, and then delegate the domain.',
});

const eventOf = {
  proved: domainProved,
  failing: domainFailing,
  recovered: domainRecovered,
  lost: domainStopped,
} as const;

interface CurrentRow extends DomainRow {
  state: Transition['state'];
  isOverdue: boolean;
}

async function findCurrent(
  transaction: Knex.Transaction,
  { customerId, domain, proof }: Pick<DomainRow, 'customerId' | 'domain' | 'proof'>,
): Promise<CurrentRow | undefined> {
  return transaction('box_domains')
    .where({ customerId, domain, proof })
    .whereRaw("(state in ('proved', 'failing') or (state = 'pending' and claim_ends_at > now()))")
    .forUpdate()
    .first('*', transaction.raw('coalesce(stops_at <= now(), false) as is_overdue'));
}

/** Returns when the domain stops. */
async function save(
  transaction: Knex.Transaction,
  before: CurrentRow,
  { nextCheck, stops, event, ...changes }: Transition,
  findings: Outcome['findings'],
): Promise<string | null> {
  const { customerId, domain } = before;
  const later = (seconds: number) => transaction.raw('now() + make_interval(secs => ?)', [seconds]);
  const days = (count: number) => transaction.raw('now() + make_interval(days => ?)', [count]);
  const [row] = await transaction('box_domains')
    .where({ customerId, domain })
    .update({
      ...changes,
      findings: JSON.stringify(findings),
      checkedAt: transaction.fn.now(),
      // Spread, so that domains that were registered together are not always checked together.
      nextCheckAt: later(nextCheck * (0.8 + 0.4 * Math.random())),
      ...(stops !== 'keep' && { stopsAt: stops === null ? null : later(stops) }),
      ...(changes.state === 'proved' && { claimEndsAt: null, restsUntil: null }),
      // What the nameservers alone have proved does not rest: it must not delay who proves it by a record.
      ...(event === 'lost' && {
        claimEndsAt: days(claimDays),
        restsUntil: before.provedBy === 'delegation' ? null : days(restDays),
      }),
    })
    .returning('stopsAt');
  return row.stopsAt;
}

function takenError(detail: string): DomainError {
  const fix = 'Remove it from the domains of your box, or ask the vendor to release it.';
  return { code: 'domain_taken', detail, fix };
}

function tell(
  log: DomainLog,
  facts: { customerId: string; domain: string },
  { event, provedBy, stopsAt }: Transition & { stopsAt: string | null },
): void {
  if (event === 'proved') log.info({ ...facts, provedBy }, 'domain is proved');
  if (event === 'recovered') log.info({ ...facts, provedBy }, 'domain is proved again');
  if (event === 'failing') log.warn({ ...facts, stopsAt }, 'domain has lost its proof and will stop');
  if (event === 'lost') log.warn(facts, 'domain is no longer served: its proof did not return');
}
