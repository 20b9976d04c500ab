/**
 * Queries of the zones of the nameserver.
 */
import { type BackOff, secondsUntilRetry, selectDue } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { undelegatedZone } from './settings.ts';

export type ZoneState = 'waiting' | 'served' | 'failed' | 'refused';

/** A zone that this replica works on. */
export interface LeasedZone {
  zone: string;
  wanted: boolean;
  state: ZoneState;
  revision: number;
  failures: number;
  leasedUntil: string;
}

/** Longer than the work on all zones of one lease takes. */
const leaseSeconds = 120;
/** Zones that are leased together. */
const batchSize = 5;
const backOff: BackOff = { first: 15, factor: 2, most: 600 };

/**
 * Derives the wanted zones from the domains of boxes, and marks the work: zones that are missing, that are no longer
 * wanted, or whose settings have changed. A zone has the name of a claimed domain, and is shared by all who claim it. A pending claim of a
 * name that another customer has, or had until recently, at or above it, leads to none: the zone would hide a part of that
 * customer's.
 * @param settings the digest of the settings
 */
export async function markZones(db: Knex, settings: string): Promise<void> {
  await db.raw(
    `with wanted as materialized (
       select regexp_replace(domain, '^[*][.]', '') as zone from box_domains as claim
        where proved_by is distinct from 'reserved'
          and (state in ('proved', 'failing') or (state = 'pending' and claim_ends_at > now() and not exists (
            select from string_to_array(regexp_replace(claim.domain, '^[*][.]', ''), '.') as labels,
                        generate_series(1, cardinality(labels)) as first,
                        array_to_string(labels[first:], '.') as name
              join box_domains as taken on taken.domain in (name, '*.' || name)
             where taken.customer_id <> claim.customer_id
               and (taken.state in ('proved', 'failing') or taken.rests_until > now()))))
        union select :undelegatedZone),
     unwanted as (
       update dns_zones set wanted = false, state = 'waiting', reason = null, revision = revision + 1, failures = 0,
              next_attempt_at = now()
        where wanted and zone not in (select zone from wanted))
     insert into dns_zones (zone, settings)
     select zone, :settings from wanted
      where not exists (
        select from dns_zones where dns_zones.zone = wanted.zone and dns_zones.wanted and dns_zones.settings = :settings)
      order by zone
     on conflict (zone) do update
        set wanted = true, state = 'waiting', reason = null, settings = excluded.settings,
            revision = dns_zones.revision + 1, failures = 0, next_attempt_at = now()`,
    { settings, undelegatedZone },
  );
}

const dueZones = selectDue({
  table: 'dns_zones',
  key: 'zone',
  leasedUntil: 'leased_until',
  order: 'due.next_attempt_at',
  limit: batchSize,
});

/** Takes zones that are due and that no other replica works on. */
export async function leaseZones(transaction: Knex.Transaction): Promise<LeasedZone[]> {
  return transaction
    .with('due', transaction.raw(dueZones))
    .from('dns_zones')
    .whereIn('zone', transaction.from('due').select('zone'))
    .update({ leasedUntil: transaction.raw('now() + make_interval(secs => ?)', [leaseSeconds]) })
    .returning(['zone', 'wanted', 'state', 'revision', 'failures', 'leasedUntil']);
}

/** Stores the result of an attempt, unless the work has changed meanwhile. @param seconds until the zone is due again */
export async function finishZone(
  db: Knex,
  { zone, revision }: LeasedZone,
  result: { state: ZoneState; reason: string | null },
  seconds: number,
): Promise<void> {
  await db('dns_zones')
    .where({ zone, revision })
    .update({ ...result, failures: 0, nextAttemptAt: db.raw('now() + make_interval(secs => ?)', [seconds]) });
}

/** Forgets a zone that was removed, unless it is wanted again. */
export async function forgetZone(db: Knex, { zone, revision }: LeasedZone): Promise<void> {
  await db('dns_zones').where({ zone, revision, wanted: false }).delete();
}

/** Ends a lease, unless it is another replica's by now. */
export async function endLease(db: Knex, { zone, leasedUntil }: LeasedZone): Promise<void> {
  await db('dns_zones').where({ zone, leasedUntil }).update({ leasedUntil: null });
}

/**
 * Postpones a zone after an attempt that failed, or also all others that are due. Those that were served before still
 * are, as far as anybody knows.
 */
export async function postponeZones(
  db: Knex,
  { zone, revision, failures }: LeasedZone,
  { allDue, reason }: { allDue: boolean; reason: string },
): Promise<void> {
  await db('dns_zones')
    .where((due) => (allDue ? due.where('nextAttemptAt', '<=', db.fn.now()) : due.where({ zone, revision })))
    .update({
      state: db.raw("case when state = 'served' then state else 'failed' end"),
      reason,
      failures: db.raw('failures + 1'),
      nextAttemptAt: db.raw('now() + make_interval(secs => ?)', [secondsUntilRetry(backOff, failures + 1)]),
    });
}

/** A zone as its status shows it. */
export interface ZoneRow {
  zone: string;
  state: ZoneState;
  reason: string | null;
  nextAttemptAt: string;
}

/** Finds these zones, as far as they are wanted. */
export async function findZones(db: Knex, zones: readonly string[]): Promise<Map<string, ZoneRow>> {
  const rows: ZoneRow[] = await db('dns_zones')
    .whereIn('zone', [...zones])
    .where({ wanted: true })
    .select('zone', 'state', 'reason', 'nextAttemptAt');
  return new Map(rows.map((row) => [row.zone, row]));
}
