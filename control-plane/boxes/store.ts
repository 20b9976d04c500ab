/**
 * Queries of boxes and their domains.
 */
import { newId } from '@carton/runtime/service';
import type { Knex } from 'knex';

export interface Box {
  id: string;
  name: string;
  backendUrl: string;
  frontendUrl: string | null;
  createdAt: string;
  updatedAt: string;
}

/** An arbitrary number that identifies the lock of deployments, which may exchange domains. */
const advisoryLock = 4_417_203_118;

/** Locks all domains against other deployments until the transaction ends. */
export async function lockDomains(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(?)', [advisoryLock]);
}

/** Upserts a box by customer and name. Returns its id. */
export async function saveBox(
  transaction: Knex.Transaction,
  box: { customerId: string; name: string; backendUrl: string; frontendUrl: string | null },
): Promise<string> {
  const [row] = await transaction('boxes')
    .insert({ id: newId(), ...box })
    .onConflict(['customerId', 'name'])
    .merge({ backendUrl: box.backendUrl, frontendUrl: box.frontendUrl, updatedAt: transaction.fn.now() })
    .returning('id');
  return row.id;
}

export interface DomainOwner {
  domain: string;
  customerId: string;
  boxId: string;
  boxName: string;
}

/** Finds the owners of those of these domains that are registered. */
export async function findDomainOwners(db: Knex, domains: readonly string[]): Promise<DomainOwner[]> {
  return db('box_domains')
    .join('boxes', 'boxes.id', 'box_domains.boxId')
    .whereIn('box_domains.domain', [...domains])
    .select('box_domains.domain', 'boxes.customerId', 'box_domains.boxId', 'boxes.name as boxName');
}

/**
 * Replaces the domains of a box.
 * @throws a unique violation if another box has one of them
 */
export async function replaceDomains(
  transaction: Knex.Transaction,
  boxId: string,
  domains: readonly string[],
): Promise<void> {
  await transaction('box_domains').where({ boxId }).delete();
  const rows = domains.map((domain, position) => ({ domain, boxId, position }));
  if (rows.length > 0) await transaction('box_domains').insert(rows);
}

/** Deletes a domain. Returns false if it is not registered. */
export async function releaseDomain(db: Knex, domain: string): Promise<boolean> {
  return (await db('box_domains').where({ domain }).delete()) > 0;
}

/** Finds a customer's box, with its domains in the order of the request that registered them. */
export async function findBox(
  db: Knex,
  customerId: string,
  name: string,
): Promise<{ box: Box; domains: string[] } | null> {
  const box = await db('boxes')
    .where({ customerId, name })
    .first('id', 'name', 'backendUrl', 'frontendUrl', 'createdAt', 'updatedAt');
  if (!box) return null;
  const domains = await db('box_domains').where({ boxId: box.id }).orderBy('position').pluck('domain');
  return { box, domains };
}

/** Finds the backend of the first of these domains that is registered. */
export async function findBackend(
  db: Knex,
  domains: readonly string[],
): Promise<{ domain: string; backendUrl: string } | null> {
  const rows: { domain: string; backendUrl: string }[] = await db('box_domains')
    .join('boxes', 'boxes.id', 'box_domains.boxId')
    .whereIn('box_domains.domain', [...domains])
    .select('box_domains.domain', 'boxes.backendUrl');
  return rows.sort((a, b) => domains.indexOf(a.domain) - domains.indexOf(b.domain))[0] ?? null;
}
