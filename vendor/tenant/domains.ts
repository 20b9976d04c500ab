/**
 * Hosts of merchants: their spelling, and which merchant one belongs to.
 */
import { isIPv4 } from 'node:net';
import {
  type Database,
  defineProblem,
  invalidRequest,
  isUniqueViolation,
  newId,
  normalizeDomain,
  normalizeHost,
  publish,
  type Tenant,
  wildcardOver,
} from '@carton/runtime';
import { domainAdded } from './events.ts';

export const hostTaken = defineProblem({
  code: 'host_taken',
  status: 409,
  title: 'This host belongs to a shop already',
});

export interface DomainRow {
  id: string;
  host: string;
  createdAt: string;
}

/** A host as it is stored and compared; an IP address stands for itself. Null for what is neither. */
function hostOf(given: string, normalize: (host: string) => string | null): string | null {
  const bare = given.replace(/:\d{1,5}$/, '');
  return isIPv4(bare) ? bare : normalize(given);
}

/** The merchant of a host: exact before wildcard; `*.example.com` stands for exactly one label. */
export async function findTenantByHost({ box }: Database, host: string): Promise<Tenant | null> {
  const normal = hostOf(host, normalizeHost);
  if (!normal) return null;
  const wildcard = isIPv4(normal) ? null : (wildcardOver(normal)?.domain ?? null);
  const [tenant] = await box.query<Tenant>(
    `select tenants.id, tenants.slug, tenants.name, tenants.status
       from tenant_domains join tenants on tenants.id = tenant_domains.owner_id
      where host = $1 or host = $2 order by host = $1 desc limit 1`,
    [normal, wildcard],
  );
  return tenant ?? null;
}

/** The hosts of a merchant as origins: its own pages may call from any of them. */
export async function findOrigins(database: Database, ownerId: string): Promise<string[]> {
  return (await listDomains(database, ownerId)).map(({ host }) => `https://${host}`);
}

export function listDomains({ box }: Database, ownerId: string): Promise<DomainRow[]> {
  return box.query<DomainRow>('select id, host, created_at from tenant_domains where owner_id = $1 order by host', [
    ownerId,
  ]);
}

/** @throws invalid_request (400) for what is no host name, host_taken (409) */
export async function addDomain(database: Database, ownerId: string, given: string): Promise<DomainRow> {
  const host = hostOf(given, normalizeDomain);
  if (!host) {
    const detail = 'must be a host name, or *. before one';
    throw invalidRequest(`body /host: ${detail}`, { errors: [{ in: 'body', pointer: '/host', detail }] });
  }
  const work = database.forTenant(ownerId).transaction(async (db) => {
    const [row] = await db.query<DomainRow>(
      'insert into tenant_domains (owner_id, id, host) values ($1, $2, $3) returning id, host, created_at',
      [newId(), host],
    );
    await publish(db, domainAdded, { type: 'tenant', id: ownerId }, { host });
    return row as DomainRow;
  });
  return work.catch((error) => {
    throw isUniqueViolation(error, 'tenant_domains_host_key') ? hostTaken(`${host} is served already.`) : error;
  });
}

/** True when the host was there and is gone. */
export async function removeDomain({ box }: Database, ownerId: string, id: string): Promise<boolean> {
  const removed = await box.query('delete from tenant_domains where owner_id = $1 and id = $2 returning id', [
    ownerId,
    id,
  ]);
  return removed.length > 0;
}
