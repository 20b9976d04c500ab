/**
 * From the host of a request to the box that serves it.
 */
import { type CheckUrl, normalizeHost, notFound, wildcardOver } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { backendForbidden } from './problems.ts';
import type { ServedDomains } from './served/domains.ts';
import { findBackend } from './store.ts';

/**
 * Finds the backend of a host. An exact domain takes precedence over a wildcard.
 * @param withPending also finds claims that are not proved, if no proved domain serves the host
 * @throws not_found (404) for a host that no box serves, or that is not a host name; backend_forbidden (503) if the
 * backend now has an address that no backend may have
 */
export async function resolveHost(
  { db, served, checkBackend }: { db: Knex; served: ServedDomains; checkBackend: CheckUrl },
  name: string,
  { withPending }: { withPending: boolean },
) {
  const host = normalizeHost(name);
  const wildcard = host === null ? null : wildcardOver(host);
  const candidates = [host, wildcard?.domain].filter((domain) => typeof domain === 'string');
  if (candidates.length === 0) throw notServed();
  const found = withPending ? await findBackend(db, candidates, true) : await served.find(candidates);
  if (!found) throw notServed();
  const { backendUrl, domain } = found;
  if ((await checkBackend(backendUrl)).state === 'forbidden') throw backendForbidden();
  // The response of a caller who may see pending domains must not be stored for others.
  if (domain === host) return { backendUrl, match: 'exact' as const, isPrivate: withPending };
  return { backendUrl, match: 'wildcard' as const, tenantSlug: wildcard?.label, isPrivate: withPending };
}

const notServed = () => notFound('No box serves this host.');
