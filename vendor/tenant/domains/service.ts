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
import { tenantSettings } from '../settings.ts';
import { hostQuota } from './quotas.ts';
import type { TenantDomain } from './schemas.ts';
import {
  type DomainRow,
  findHost,
  findTenantAt,
  hasHost,
  insertHost,
  isServedElsewhere,
  listHosts,
  listOwnHosts,
  listServedHosts,
  lockClaims,
  removeHost,
  setVerified,
} from './store.ts';

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
export async function findTenantByHost(database: Database, host: string): Promise<Tenant | null> {
  const candidates = candidatesOf(host);
  return candidates && findTenantAt(database, candidates);
}

/** The origin of the tenant for addresses in mails: `https://` and its first host; null without one. */
export async function findOwnOrigin(db: TenantDatabase): Promise<string | null> {
  const hosts = (await listOwnHosts(db)).filter((host) => host !== 'localhost' && !host.startsWith('*.'));
  const [first] = hosts.toSorted();
  return first === undefined ? null : `https://${first}`;
}

/** The hosts at which a tenant is served, as origins that may call the box in a browser. */
export async function findOrigins(database: Database, ownerId: string): Promise<string[]> {
  return (await listServedHosts(database, ownerId)).map((host) => `https://${host}`);
}

export async function listDomains(database: Database, ownerId: string): Promise<TenantDomain[]> {
  return (await listHosts(database, ownerId)).map(presentDomain);
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
    if (await hasHost(db, host)) throw hostTaken(`This tenant already has the host ${host}.`);
    const row = await insertHost(db, { host, state, proof: state === 'pending' ? newProof() : null });
    if (state !== 'pending') await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host });
    await claimQuota(db, hostQuota, 1);
    return presentDomain(row);
  });
}

/** @throws invalid_request (400) */
async function validateHost(requested: string, isOperator: boolean): Promise<string> {
  const host = normalizeDomain(requested);
  if (!host) throw invalidField('/host', 'must be a host name, or *. before one, and not an address');
  if (await isPublicSuffix(host))
    throw invalidField('/host', 'must be a name below a public suffix, not a public suffix itself');
  // With a name below it, a store would keep localhost from all others.
  if (/(^|\.)localhost$/.test(host) && !isOperator) {
    throw invalidField('/host', 'can only be localhost, or below it, if the operator adds it');
  }
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
    const after = await setVerified(db, id, { state, fault, isQueried: !isOperator });
    if (!after) return presentDomain(await findDomain(database, ownerId, id));
    if (state !== 'pending') await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host: after.host });
    return presentDomain(after);
  });
}

async function findDomain(database: Database, ownerId: string, id: string): Promise<DomainRow> {
  const row = await findHost(database, ownerId, id);
  if (!row) throw domainNotFound(id);
  return row;
}

/** @throws not_found (404) */
export async function removeDomain(database: Database, ownerId: string, id: string): Promise<void> {
  if (!(await removeHost(database, ownerId, id))) throw domainNotFound(id);
}

function domainNotFound(id: string) {
  return notFound(`This tenant has no host with the id ${id}.`);
}

/**
 * Refuses a host at which another tenant is served, and hosts above or below it: one tenant could receive requests
 * meant for the other.
 * @throws host_taken (409)
 */
async function requireUnclaimed(db: TenantDatabase, host: string): Promise<void> {
  const above = withNamesAbove(baseOfDomain(host));
  const hosts = above.flatMap((name) => [name, `*.${name}`]);
  const isTaken = await isServedElsewhere(db, hosts, above[0] as string);
  if (isTaken) throw hostTaken(`${host} is a host of another tenant, or above or below one.`);
}
