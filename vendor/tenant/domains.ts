/**
 * Hosts of merchants: which merchant one belongs to, and how a merchant comes by one. A host that waits for its proof
 * is kept from nobody and serves nobody.
 */
import { isIPv4 } from 'node:net';
import {
  baseOfDomain,
  type Database,
  invalidField,
  isPublicSuffix,
  isReservedDomain,
  newId,
  normalizeDomain,
  normalizeHost,
  notFound,
  publish,
  type Tenant,
  type TenantDatabase,
  wildcardOver,
  withNamesAbove,
} from '@carton/runtime';
import { domainAdded } from './events.ts';
import { hostTaken, tooManyHosts } from './problems.ts';
import { askForRecord, newProof, recordOf } from './proof.ts';
import type { DomainFault, TenantDomain } from './schemas.ts';
import { tenantSettings } from './settings.ts';

interface DomainRow {
  id: string;
  host: string;
  state: TenantDomain['state'];
  proof: string | null;
  checkedAt: string | null;
  fault: DomainFault | null;
  createdAt: string;
}

const columns = 'id, host, state, proof, checked_at, fault, created_at';

function shown({ proof, fault, ...row }: DomainRow): TenantDomain {
  return { ...row, record: proof === null ? null : recordOf(row.host, proof), error: fault };
}

/** Addresses of this machine are another way to write `localhost` (RFC 6761, section 6.3). */
const loopback = /^(127(\.\d{1,3}){3}|\[::1\])$/;

/** How a host may stand among the hosts of merchants: as it is, or covered by a wildcard of exactly one label. */
function candidatesOf(given: string): [host: string, other: string | null] | null {
  const bare = given.replace(/:\d{1,5}$/, '');
  if (loopback.test(bare)) return [bare, 'localhost'];
  // No merchant is given an address any more, but an old box may have one.
  if (isIPv4(bare)) return [bare, null];
  const host = normalizeHost(given);
  return host === null ? null : [host, wildcardOver(host)?.domain ?? null];
}

/** The merchant of a host: exact before wildcard. */
export async function findTenantByHost({ box }: Database, host: string): Promise<Tenant | null> {
  const candidates = candidatesOf(host);
  if (!candidates) return null;
  const [tenant] = await box.query<Tenant>(
    `select tenants.id, tenants.slug, tenants.name, tenants.status
       from tenant_domains join tenants on tenants.id = tenant_domains.owner_id
      where (host = $1 or host = $2) and state <> 'pending' order by host = $1 desc limit 1`,
    candidates,
  );
  return tenant ?? null;
}

/** The hosts that a merchant is served at, as origins: its own pages may call from any of them. */
export async function findOrigins({ box }: Database, ownerId: string): Promise<string[]> {
  const served = await box.query<{ host: string }>(
    "select host from tenant_domains where owner_id = $1 and state <> 'pending'",
    [ownerId],
  );
  return served.map(({ host }) => `https://${host}`);
}

export async function listDomains({ box }: Database, ownerId: string): Promise<TenantDomain[]> {
  const rows = await box.query<DomainRow>(`select ${columns} from tenant_domains where owner_id = $1 order by host`, [
    ownerId,
  ]);
  return rows.map(shown);
}

/**
 * Adds a host of a merchant. What the operator adds is approved, and a reserved name needs no proof; for anything else
 * DNS has to be asked (verifyDomain) before it is served.
 * @throws invalid_request (400) for what nobody can hold, host_taken (409), too_many_hosts (409)
 */
export async function addDomain(
  database: Database,
  ownerId: string,
  given: string,
  { isOperator }: { isOperator: boolean },
): Promise<TenantDomain> {
  const host = await hostToAdd(given, isOperator);
  const state = isOperator || isReservedDomain(host) ? 'approved' : 'pending';
  return database.forTenant(ownerId).transaction(async (db) => {
    await takeTurn(db);
    await refuseTaken(db, host);
    const own = await db.query<{ host: string }>('select host from tenant_domains where owner_id = $1');
    if (own.some((row) => row.host === host)) throw hostTaken(`${host} is a host of this shop already.`);
    const { mostHosts } = tenantSettings.of(db);
    if (own.length >= mostHosts) throw tooManyHosts(`A shop has at most ${mostHosts} hosts here.`);
    const [row] = await db.query<DomainRow>(
      `insert into tenant_domains (owner_id, id, host, state, proof) values ($1, $2, $3, $4, $5) returning ${columns}`,
      [newId(), host, state, state === 'pending' ? newProof() : null],
    );
    if (state !== 'pending') await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host });
    return shown(row as DomainRow);
  });
}

/** @throws invalid_request (400) */
async function hostToAdd(given: string, isOperator: boolean): Promise<string> {
  const host = normalizeDomain(given);
  if (!host) throw invalidField('/host', 'must be a host name, or *. before one; an address is none');
  if (await isPublicSuffix(host)) throw invalidField('/host', 'must be a name below one that is open to everybody');
  if (host === 'localhost' && !isOperator)
    throw invalidField('/host', "must not be this machine: that is the operator's");
  return host;
}

/**
 * Asks DNS whether a host that waits is the merchant's, or takes the operator's word for it. What came of it is kept
 * with the host; one that is served already stays as it is.
 * @throws not_found (404), host_taken (409) when another merchant came to it first
 */
export async function verifyDomain(
  database: Database,
  ownerId: string,
  id: string,
  { isOperator }: { isOperator: boolean },
): Promise<TenantDomain> {
  const before = await findDomain(database, ownerId, id);
  if (before.state !== 'pending' || before.proof === null) return shown(before);
  // Nothing is locked while DNS is asked: it may take seconds.
  const fault = isOperator ? null : await askForRecord(database, recordOf(before.host, before.proof));
  return database.forTenant(ownerId).transaction(async (db) => {
    if (fault === null) {
      await takeTurn(db);
      await refuseTaken(db, before.host);
    }
    const state = fault !== null ? 'pending' : isOperator ? 'approved' : 'proved';
    const [after] = await db.query<DomainRow>(
      `update tenant_domains
          set state = $3, fault = $4, checked_at = case when $5::boolean then checked_at else now() end
        where owner_id = $1 and id = $2 and state = 'pending' returning ${columns}`,
      [id, state, fault && JSON.stringify(fault), isOperator],
    );
    if (!after) return shown(await findDomain(database, ownerId, id));
    if (state !== 'pending') await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host: after.host });
    return shown(after);
  });
}

async function findDomain({ box }: Database, ownerId: string, id: string): Promise<DomainRow> {
  const [row] = await box.query<DomainRow>(`select ${columns} from tenant_domains where owner_id = $1 and id = $2`, [
    ownerId,
    id,
  ]);
  return row ?? unknownDomain(id);
}

/** @throws not_found (404) */
export async function removeDomain({ box }: Database, ownerId: string, id: string): Promise<void> {
  const removed = await box.query('delete from tenant_domains where owner_id = $1 and id = $2 returning id', [
    ownerId,
    id,
  ]);
  if (removed.length === 0) unknownDomain(id);
}

function unknownDomain(id: string): never {
  throw notFound(`This shop has no host with the id ${id}.`);
}

/**
 * Waits until nobody else is taking a name, for the rest of the transaction. A row that is changed, and no advisory
 * lock: on Citus merchants are at home on several nodes, and a table of the box is changed on all of them in one line.
 */
async function takeTurn(db: TenantDatabase): Promise<void> {
  await db.query('update tenant_domain_claims set claimed_by = $1, claimed_at = now()');
}

/**
 * Refuses a host that another merchant is served at, and one above or below such a host: it could take requests from
 * it, or have them taken. @throws host_taken (409)
 */
async function refuseTaken(db: TenantDatabase, host: string): Promise<void> {
  const above = withNamesAbove(baseOfDomain(host));
  // Read from the end, what is below a name begins with it and a dot; a slash comes right after the dot.
  const reversed = [...(above[0] as string)].reverse().join('');
  const taken = await db.query(
    `select 1 from tenant_domains
      where owner_id <> $1 and state <> 'pending'
        and (host = any($2) or (reverse(host) collate "C" >= $3 and reverse(host) collate "C" < $4)) limit 1`,
    [above.flatMap((name) => [name, `*.${name}`]), `${reversed}.`, `${reversed}/`],
  );
  if (taken.length > 0) throw hostTaken(`${host} is a host of another shop, or stands above or below one.`);
}
