/**
 * Queries of `tenant_domains` and `tenant_domain_claims`.
 */
import { joinedTenant } from '@carton/core';
import { type Database, newId, type Tenant, type TenantDatabase } from '@carton/runtime';
import type { DomainFault, TenantDomain } from './schemas.ts';

export interface DomainRow {
  id: string;
  host: string;
  state: TenantDomain['state'];
  proof: string | null;
  checkedAt: string | null;
  fault: DomainFault | null;
  createdAt: string;
}

const columns = 'id, host, state, proof, checked_at, fault, created_at';

/** The hosts at which the tenant of `db` is served; a wildcard begins with `*.`. */
export async function listOwnHosts(db: TenantDatabase): Promise<string[]> {
  const served = await db.query<{ host: string }>(
    "select host from tenant_domains where owner_id = $1 and state <> 'pending'",
  );
  return served.map(({ host }) => host);
}

/**
 * Serializes transactions that claim hosts, until the end of this one. It updates a row instead of taking an advisory
 * lock: on Citus, advisory locks are per node, while updates of a reference table are serialized across all nodes.
 */
export async function lockClaims(db: TenantDatabase): Promise<void> {
  await db.query('update tenant_domain_claims set claimed_by = $1, claimed_at = now()');
}

/**
 * The tenant that is served at a host, or at another if none is at the first.
 * @param other null for none
 */
export async function findTenantAt(
  { box }: Database,
  [host, other]: readonly [host: string, other: string | null],
): Promise<Tenant | null> {
  const [found] = await box.query<Tenant>(
    `select tenant.id, tenant.slug, tenant.name, tenant.status
       from tenant_domains ${joinedTenant('tenant_domains.owner_id')}
      where (host = $1 or host = $2) and state <> 'pending' order by host = $1 desc limit 1`,
    [host, other],
  );
  return found ?? null;
}

/** The hosts at which a tenant is served; a wildcard begins with `*.`. */
export async function listServedHosts({ box }: Database, ownerId: string): Promise<string[]> {
  const served = await box.query<{ host: string }>(
    "select host from tenant_domains where owner_id = $1 and state <> 'pending'",
    [ownerId],
  );
  return served.map(({ host }) => host);
}

/** All hosts of a tenant, in the order of their names. */
export function listHosts({ box }: Database, ownerId: string): Promise<DomainRow[]> {
  return box.query<DomainRow>(`select ${columns} from tenant_domains where owner_id = $1 order by host`, [ownerId]);
}

export async function findHost({ box }: Database, ownerId: string, id: string): Promise<DomainRow | null> {
  const [row] = await box.query<DomainRow>(`select ${columns} from tenant_domains where owner_id = $1 and id = $2`, [
    ownerId,
    id,
  ]);
  return row ?? null;
}

/** Whether the tenant of `db` has a host, also a pending one. */
export async function hasHost(db: TenantDatabase, host: string): Promise<boolean> {
  return (await db.query('select 1 from tenant_domains where owner_id = $1 and host = $2', [host])).length > 0;
}

/** The number of hosts of the tenant of `db`, at most `most`. */
export async function countHosts(db: TenantDatabase, most: number): Promise<number> {
  return (await db.query('select 1 from tenant_domains where owner_id = $1 limit $2', [most])).length;
}

export async function insertHost(
  db: TenantDatabase,
  { host, state, proof }: Pick<DomainRow, 'host' | 'state' | 'proof'>,
): Promise<DomainRow> {
  const [row] = await db.query<DomainRow>(
    `insert into tenant_domains (owner_id, id, host, state, proof) values ($1, $2, $3, $4, $5) returning ${columns}`,
    [newId(), host, state, proof],
  );
  return row as DomainRow;
}

/**
 * Stores the result of verifying a host. Null if it is no longer pending, or there is none.
 * @param isQueried whether DNS was queried
 */
export async function setVerified(
  db: TenantDatabase,
  id: string,
  { state, fault, isQueried }: Pick<DomainRow, 'state' | 'fault'> & { isQueried: boolean },
): Promise<DomainRow | null> {
  const [row] = await db.query<DomainRow>(
    `update tenant_domains
        set state = $3, fault = $4, checked_at = case when $5::boolean then now() else checked_at end
      where owner_id = $1 and id = $2 and state = 'pending' returning ${columns}`,
    [id, state, fault && JSON.stringify(fault), isQueried],
  );
  return row ?? null;
}

/** Returns whether there was one. */
export async function removeHost({ box }: Database, ownerId: string, id: string): Promise<boolean> {
  const removed = await box.query('delete from tenant_domains where owner_id = $1 and id = $2 returning id', [
    ownerId,
    id,
  ]);
  return removed.length > 0;
}

/**
 * Whether another tenant is served at one of these hosts, or at a name below another.
 * @param above the name
 */
export async function isServedElsewhere(db: TenantDatabase, hosts: readonly string[], above: string): Promise<boolean> {
  // Reversed, a name below another begins with it and a dot. In the collation "C" a slash follows the dot.
  const reversed = [...above].reverse().join('');
  const taken = await db.query(
    `select 1 from tenant_domains
      where owner_id <> $1 and state <> 'pending'
        and (host = any($2) or (reverse(host) collate "C" >= $3 and reverse(host) collate "C" < $4)) limit 1`,
    [hosts, `${reversed}.`, `${reversed}/`],
  );
  return taken.length > 0;
}

/** Forgets that the tenant of `db` claimed a host last. */
export async function forgetClaim(db: TenantDatabase): Promise<void> {
  await db.query('update tenant_domain_claims set claimed_by = null where claimed_by = $1');
}
