/**
 * Hosts of tenants: finding the tenant of a host, adding and verifying hosts. A pending host is not served, and does
 * not prevent another tenant from adding it.
 */
import { isIPv4 } from 'node:net';
import { claimQuota } from '@carton/core';
import {
  baseOfDomain,
  checkRecord,
  type Database,
  invalidField,
  isPublicSuffix,
  isReservedDomain,
  newId,
  newProof,
  normalizeDomain,
  normalizeHost,
  notFound,
  openResolver,
  publish,
  recordOf,
  type Tenant,
  type TenantDatabase,
  wildcardOver,
  withNamesAbove,
} from '@carton/runtime';
import { domainAdded } from '../events.ts';
import { hostTaken } from '../problems.ts';
import type { DomainFault, TenantDomain } from '../schemas.ts';
import { tenantSettings } from '../settings.ts';
import { hostQuota } from './quotas.ts';

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

function presentDomain({ proof, fault, ...row }: DomainRow): TenantDomain {
  return { ...row, record: proof === null ? null : recordOf(row.host, proof), error: fault };
}

/** Loopback addresses, which are equivalent to `localhost` (RFC 6761, section 6.3). */
const loopback = /^(127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The stored hosts that match a host: itself, and the wildcard in place of its first label. Null for an invalid host.
 */
function candidatesOf(requested: string): [host: string, other: string | null] | null {
  const bare = requested.replace(/:\d{1,5}$/, '');
  if (loopback.test(bare)) return [bare, 'localhost'];
  // Addresses cannot be added any more, but earlier releases allowed them.
  if (isIPv4(bare)) return [bare, null];
  const host = normalizeHost(requested);
  return host === null ? null : [host, wildcardOver(host)?.domain ?? null];
}

/** The tenant that is served at a host. An exact host takes precedence over a wildcard. */
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

/** The hosts at which the tenant of `db` is served; a wildcard begins with `*.`. */
export async function listOwnHosts(db: TenantDatabase): Promise<string[]> {
  const served = await db.query<{ host: string }>(
    "select host from tenant_domains where owner_id = $1 and state <> 'pending'",
  );
  return served.map(({ host }) => host);
}

/** The origin of the tenant for addresses in mails: `https://` and its first host; null without one. */
export async function findOwnOrigin(db: TenantDatabase): Promise<string | null> {
  const hosts = (await listOwnHosts(db)).filter((host) => host !== 'localhost' && !host.startsWith('*.'));
  const [first] = hosts.toSorted();
  return first === undefined ? null : `https://${first}`;
}

/** The hosts at which a tenant is served, as origins that may call the box in a browser. */
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
  return rows.map(presentDomain);
}

/**
 * Adds a host to a tenant. A host added by the operator is approved, as is a reserved name; any other stays pending
 * until it is verified (`verifyDomain`).
 * @throws invalid_request (400) for a name that no tenant can have, host_taken (409), quota_exceeded (409)
 */
export async function addDomain(
  database: Database,
  ownerId: string,
  requested: string,
  { isOperator }: { isOperator: boolean },
): Promise<TenantDomain> {
  const host = await validateHost(requested, isOperator);
  const state = isOperator || isReservedDomain(host) ? 'approved' : 'pending';
  return database.forTenant(ownerId).transaction(async (db) => {
    await lockClaims(db);
    await requireUnclaimed(db, host);
    const own = await db.query('select 1 from tenant_domains where owner_id = $1 and host = $2', [host]);
    if (own.length > 0) throw hostTaken(`This tenant already has the host ${host}.`);
    const [row] = await db.query<DomainRow>(
      `insert into tenant_domains (owner_id, id, host, state, proof) values ($1, $2, $3, $4, $5) returning ${columns}`,
      [newId(), host, state, state === 'pending' ? newProof() : null],
    );
    if (state !== 'pending') await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host });
    await claimQuota(db, hostQuota, 1);
    return presentDomain(row as DomainRow);
  });
}

/** @throws invalid_request (400) */
async function validateHost(requested: string, isOperator: boolean): Promise<string> {
  const host = normalizeDomain(requested);
  if (!host) throw invalidField('/host', 'must be a host name, or *. before one, and not an address');
  if (await isPublicSuffix(host))
    throw invalidField('/host', 'must be a name below a public suffix, not a public suffix itself');
  if (host === 'localhost' && !isOperator) throw invalidField('/host', 'can only be localhost if the operator adds it');
  return host;
}

/**
 * Verifies a pending host by its DNS record, or approves it if the caller is the operator. The result is stored with
 * the host. A host that is served already does not change.
 * @throws not_found (404), host_taken (409) if another tenant was first
 */
export async function verifyDomain(
  database: Database,
  ownerId: string,
  id: string,
  { isOperator }: { isOperator: boolean },
): Promise<TenantDomain> {
  const before = await findDomain(database, ownerId, id);
  if (before.state !== 'pending' || before.proof === null) return presentDomain(before);
  // Query DNS before the transaction: it may take seconds.
  const resolver = openResolver(tenantSettings.of(database).dnsServers);
  const fault = isOperator ? null : (await checkRecord(recordOf(before.host, before.proof), resolver)).fault;
  return database.forTenant(ownerId).transaction(async (db) => {
    if (fault === null) {
      await lockClaims(db);
      await requireUnclaimed(db, before.host);
    }
    const state = fault !== null ? 'pending' : isOperator ? 'approved' : 'proved';
    const [after] = await db.query<DomainRow>(
      `update tenant_domains
          set state = $3, fault = $4, checked_at = case when $5::boolean then checked_at else now() end
        where owner_id = $1 and id = $2 and state = 'pending' returning ${columns}`,
      [id, state, fault && JSON.stringify(fault), isOperator],
    );
    if (!after) return presentDomain(await findDomain(database, ownerId, id));
    if (state !== 'pending') await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host: after.host });
    return presentDomain(after);
  });
}

async function findDomain({ box }: Database, ownerId: string, id: string): Promise<DomainRow> {
  const [row] = await box.query<DomainRow>(`select ${columns} from tenant_domains where owner_id = $1 and id = $2`, [
    ownerId,
    id,
  ]);
  if (!row) throw domainNotFound(id);
  return row;
}

/** @throws not_found (404) */
export async function removeDomain({ box }: Database, ownerId: string, id: string): Promise<void> {
  const removed = await box.query('delete from tenant_domains where owner_id = $1 and id = $2 returning id', [
    ownerId,
    id,
  ]);
  if (removed.length === 0) throw domainNotFound(id);
}

function domainNotFound(id: string) {
  return notFound(`This tenant has no host with the id ${id}.`);
}

/**
 * Serializes transactions that claim hosts, until the end of this one. It updates a row instead of taking an advisory
 * lock: on Citus, advisory locks are per node, while updates of a reference table are serialized across all nodes.
 */
async function lockClaims(db: TenantDatabase): Promise<void> {
  await db.query('update tenant_domain_claims set claimed_by = $1, claimed_at = now()');
}

/**
 * Refuses a host at which another tenant is served, and hosts above or below it: one tenant could receive requests
 * meant for the other.
 * @throws host_taken (409)
 */
async function requireUnclaimed(db: TenantDatabase, host: string): Promise<void> {
  const above = withNamesAbove(baseOfDomain(host));
  // Reversed, a name below another begins with it and a dot. In the collation "C" a slash follows the dot.
  const reversed = [...(above[0] as string)].reverse().join('');
  const taken = await db.query(
    `select 1 from tenant_domains
      where owner_id <> $1 and state <> 'pending'
        and (host = any($2) or (reverse(host) collate "C" >= $3 and reverse(host) collate "C" < $4)) limit 1`,
    [above.flatMap((name) => [name, `*.${name}`]), `${reversed}.`, `${reversed}/`],
  );
  if (taken.length > 0) throw hostTaken(`${host} is a host of another tenant, or above or below one.`);
}
