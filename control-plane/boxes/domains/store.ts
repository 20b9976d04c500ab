/**
 * Queries of the domains of boxes.
 */
import { baseOfDomain, withNamesAbove } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Findings } from '../schemas.ts';

/** The states of a row. A resting domain is no longer its customer's, but not yet available to another one. */
export type DomainState = 'pending' | 'proved' | 'failing' | 'resting';
export type ProvedBy = 'record' | 'delegation' | 'reserved' | 'off' | 'earlier';

export interface DomainRow {
  customerId: string;
  domain: string;
  boxId: string;
  position: number;
  state: DomainState;
  /** Null until it is proved, and after the proof was lost. */
  provedBy: ProvedBy | null;
  /** The value of its TXT record; null for a domain that needs no proof. */
  proof: string | null;
  claimEndsAt: string | null;
  restsUntil: string | null;
  stopsAt: string | null;
  checkedAt: string | null;
  nextCheckAt: string | null;
  /** Checks in a row that found no proof. */
  misses: number;
  /** Checks in a row whose lookups failed. */
  lookupFailures: number;
  findings: Findings | null;
}

/** An arbitrary number that identifies the lock of claims. */
const advisoryLock = 4_417_203_118;

/**
 * Serializes the transactions in which a domain becomes a customer's, until the end of this one. Overlapping names are
 * different rows, so locks of rows would not.
 */
export async function lockDomains(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(?)', [advisoryLock]);
}

/** A domain of another customer that is equal to, above or below a claimed one. */
export interface TakenDomain {
  claimed: string;
  customerId: string;
  boxId: string;
  domain: string;
  provedBy: ProvedBy | null;
  /** Not null if it is no longer served. */
  restsUntil: string | null;
}

/** Rows of other customers that make a domain theirs: proved, or resting. */
const isTaken = `customer_id <> ? and (state in ('proved', 'failing') or rests_until > now())`;
/** Claims of other customers that nothing has proved yet. */
const isClaimed = `customer_id <> ? and state = 'pending' and claim_ends_at > now()`;

/** Finds what other customers have at, above or below these domains: proved, or resting. */
export function findTaken(
  transaction: Knex.Transaction,
  customerId: string,
  domains: readonly string[],
): Promise<TakenDomain[]> {
  return findOverlaps(transaction, customerId, domains, isTaken);
}

/** Whether other customers claim a domain, or one above or below it, too. */
export async function isContested(transaction: Knex.Transaction, customerId: string, domain: string): Promise<boolean> {
  return (await findOverlaps(transaction, customerId, [domain], isClaimed)).length > 0;
}

async function findOverlaps(
  transaction: Knex.Transaction,
  customerId: string,
  domains: readonly string[],
  condition: string,
): Promise<TakenDomain[]> {
  const above = domains.flatMap((claimed) =>
    withNamesAbove(baseOfDomain(claimed)).flatMap((name) => [
      { claimed, name },
      { claimed, name: `*.${name}` },
    ]),
  );
  // Reversed, a name below another begins with it and a dot. In the collation "C" a slash follows the dot.
  const reversed = domains.map((domain) => [...baseOfDomain(domain)].reverse().join(''));
  const columns = `customer_id as "customerId", box_id as "boxId", box_domains.domain, proved_by as "provedBy",
    case when state in ('pending', 'resting') then rests_until end as "restsUntil"`;
  const { rows } = await transaction.raw(
    `select claimed, ${columns}
       from unnest(?::text[], ?::text[]) as claims (claimed, name) join box_domains on box_domains.domain = name
      where ${condition}
      union all
     select claimed, below.* from unnest(?::text[], ?::text[]) as claims (claimed, reversed)
      cross join lateral (
        select ${columns} from box_domains
         where reverse(box_domains.domain) collate "C" >= reversed || '.'
           and reverse(box_domains.domain) collate "C" < reversed || '/' and ${condition}
         order by (proved_by = 'delegation') is true limit 1
      ) as below`,
    [
      above.map(({ claimed }) => claimed),
      above.map(({ name }) => name),
      customerId,
      [...domains],
      reversed,
      customerId,
    ],
  );
  return rows;
}

/** Ends what another customer has of a domain by delegation, in favour of one who has proved it by record; false if it has ended. */
export async function endDelegated(
  transaction: Knex.Transaction,
  { customerId, domain }: Pick<TakenDomain, 'customerId' | 'domain'>,
): Promise<boolean> {
  return (await transaction('box_domains').where({ customerId, domain, provedBy: 'delegation' }).delete()) > 0;
}

/** A customer's domains that are those of a box, or have one of these names, locked. */
export async function lockOwnDomains(
  transaction: Knex.Transaction,
  customerId: string,
  boxId: string,
  domains: readonly string[],
): Promise<(DomainRow & { boxName: string })[]> {
  return transaction('box_domains')
    .join('boxes', 'boxes.id', 'box_domains.boxId')
    .where('box_domains.customerId', customerId)
    .where((either) => either.where({ boxId }).orWhereIn('domain', [...domains]))
    .select('box_domains.*', 'boxes.name as boxName')
    .forUpdate('box_domains');
}

/** The columns of a row that a deployment writes. */
export type ClaimedRow = Omit<DomainRow, 'checkedAt' | 'findings' | 'lookupFailures' | DatedColumn> & {
  [Column in DatedColumn]: string | null | Knex.Raw;
};
type DatedColumn = 'claimEndsAt' | 'restsUntil' | 'stopsAt' | 'nextCheckAt';

/** Inserts these rows, or updates those that the customer has already. */
export async function saveClaims(transaction: Knex.Transaction, rows: readonly ClaimedRow[]): Promise<void> {
  if (rows.length > 0) await transaction('box_domains').insert(rows).onConflict(['customerId', 'domain']).merge();
}

/** Deletes a customer's claims of these domains. */
export async function deleteClaims(
  transaction: Knex.Transaction,
  customerId: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length > 0)
    await transaction('box_domains')
      .where({ customerId })
      .whereIn('domain', [...domains])
      .delete();
}

/**
 * Takes a domain from the customer to whom it belongs, without a rest. Claims that are not proved remain. Returns false if
 * it belongs to nobody.
 */
export async function releaseDomain(db: Knex, domain: string): Promise<boolean> {
  const released = await db('box_domains')
    .where({ domain })
    .where((either) => either.whereIn('state', ['proved', 'failing']).orWhereNotNull('restsUntil'))
    .delete();
  return released > 0;
}

/** The domains of a box in the order of the request that registered them. */
export async function listDomains(db: Knex, boxId: string): Promise<DomainRow[]> {
  return db('box_domains')
    .where({ boxId })
    .whereNot({ state: 'resting' })
    .whereRaw("(state <> 'pending' or claim_ends_at > now())")
    .orderBy('position');
}
