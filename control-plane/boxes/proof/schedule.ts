/**
 * Checks domains when they are due, and ends claims and rests that are over. Replicas share the work: each takes domains
 * that no other one has taken.
 */
import { baseOfDomain } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Job } from '../../schedule.ts';
import type { DomainRow } from '../domains/store.ts';
import { checkProofs, type DnsSettings } from './check.ts';
import { type DomainLog, storeOutcome } from './outcome.ts';

/** Domains that are checked together. */
const batchSize = 20;
/** Longer than a check takes: a domain whose replica died is checked by another one. */
const leaseSeconds = 120;

export interface ScheduleSettings extends DnsSettings {
  /** False in closed networks: nothing is looked up. */
  readonly provesDomains: boolean;
}

export function domainJob(db: Knex, settings: ScheduleSettings, log: DomainLog, interval = 15_000): Job {
  return { complaint: 'domains could not be checked', interval, run: () => checkDueDomains(db, settings, log) };
}

/** Ends claims and rests that are over, and checks the domains that are due. Returns how many were checked. */
export async function checkDueDomains(db: Knex, settings: ScheduleSettings, log: DomainLog): Promise<number> {
  await endClaims(db);
  if (!settings.provesDomains) return 0;
  let checked = 0;
  for (;;) {
    const due = await db.transaction(takeDue);
    if (due.length === 0) return checked;
    await checkAndStore(db, due, settings, log);
    checked += due.length;
  }
}

/** Checks these domains now and stores the outcomes. Domains without a proof are not checked. */
export async function checkAndStore(
  db: Knex,
  rows: readonly Pick<DomainRow, 'customerId' | 'domain' | 'proof'>[],
  settings: DnsSettings,
  log: DomainLog,
): Promise<void> {
  const provable = rows.flatMap(({ proof, ...row }) => (proof === null ? [] : { ...row, proof }));
  const outcomes = await checkProofs(provable, settings);
  // Domains before the names below them, which may be free once the domain is proved.
  const found = provable.map((row, index) => ({ row, outcome: outcomes[index] }));
  found.sort((one, other) => labelsOf(one.row) - labelsOf(other.row));
  for (const { row, outcome } of found) if (outcome) await storeOutcome(db, row, outcome, log);
}

const labelsOf = ({ domain }: Pick<DomainRow, 'domain'>) => baseOfDomain(domain).split('.').length;

/** Claims that nobody proved end; of a domain that another customer lost nothing remains after its rest. */
async function endClaims(db: Knex): Promise<void> {
  await db('box_domains')
    .where((over) => over.where({ state: 'pending' }).where('claimEndsAt', '<=', db.fn.now()))
    .orWhere((over) => over.where({ state: 'resting' }).where('restsUntil', '<=', db.fn.now()))
    .delete();
}

async function takeDue(transaction: Knex.Transaction): Promise<Pick<DomainRow, 'customerId' | 'domain' | 'proof'>[]> {
  // In a `with`, rows are chosen once, however the update is planned.
  return transaction
    .with('due', (due) =>
      due
        .from('box_domains')
        .select('customerId', 'domain')
        .where('nextCheckAt', '<=', transaction.fn.now())
        .whereNot({ state: 'resting' })
        .orderBy('nextCheckAt')
        .limit(batchSize)
        .forUpdate()
        .skipLocked(),
    )
    .from('box_domains')
    .whereIn(['customerId', 'domain'], transaction.from('due').select('customerId', 'domain'))
    .update({ nextCheckAt: transaction.raw('now() + make_interval(secs => ?)', [leaseSeconds]) })
    .returning(['customerId', 'domain', 'proof']);
}
