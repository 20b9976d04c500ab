/**
 * Boxes: their names, URLs and domains.
 */
import {
  defineProblem,
  type FieldError,
  invalidRequest,
  isUniqueViolation,
  normalizeDomain,
  normalizeHost,
  notFound,
  wildcardOver,
} from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { DeployBoxDto } from './schemas.ts';
import { findBackend, findDomainOwners, lockDomains, releaseDomain, replaceDomains, saveBox } from './store.ts';

export const domainTaken = defineProblem({
  code: 'domain_taken',
  status: 409,
  title: 'The domain is already registered',
});

/** Top-level domains reserved for tests (RFC 6761), under which a wildcard is allowed. */
const reservedTopLevelDomains = new Set(['localhost', 'test']);

/** A domain of a request, as sent and normalised. */
interface Claim {
  sent: string;
  domain: string;
  index: number;
}

/**
 * Creates a customer's box, or replaces its URLs and its list of domains.
 * @throws invalid_request (400) that names each invalid field, domain_taken (409) that names the domain
 */
export async function deployBox(db: Knex, customerId: string, box: Omit<DeployBoxDto, 'key'>): Promise<void> {
  const { name, backendUrl, frontendUrl = null } = box;
  const claims = readClaims(box);
  await db
    .transaction(async (transaction) => {
      await lockDomains(transaction);
      const boxId = await saveBox(transaction, { customerId, name, backendUrl, frontendUrl });
      await rejectTakenDomains(transaction, claims, { customerId, boxId });
      const domains = [...new Set(claims.map(({ domain }) => domain))];
      await replaceDomains(transaction, boxId, domains);
    })
    .catch((error) => {
      // The lock prevents this; without it, the primary key would still reject a second owner.
      throw isUniqueViolation(error, 'box_domains_pkey') ? domainTaken('Another box has one of the domains.') : error;
    });
}

/**
 * Checks the fields of a box and normalises its domains.
 * @throws invalid_request (400) that names each invalid field
 */
function readClaims({ backendUrl, frontendUrl, domains }: Omit<DeployBoxDto, 'key'>): Claim[] {
  const errors: FieldError[] = [];
  const fault = (pointer: string, detail: string) => errors.push({ in: 'body', pointer, detail });
  if (!isPublicUrl(backendUrl)) fault('/backendUrl', 'must be an http or https URL without user name and password');
  if (frontendUrl !== undefined && !isPublicUrl(frontendUrl)) {
    fault('/frontendUrl', 'must be an http or https URL without user name and password');
  }
  const claims = domains.map((sent, index) => {
    const domain = normalizeDomain(sent);
    if (domain === null) fault(`/domains/${index}`, 'must be a host name, or *. followed by one');
    else if (isTooWide(domain)) fault(`/domains/${index}`, 'must not be a wildcard for a top-level domain');
    return { sent, domain: domain as string, index };
  });
  if (errors.length > 0) throw invalidRequest(`body ${errors[0]?.pointer}: ${errors[0]?.detail}`, { errors });
  return claims;
}

/** True for a URL without credentials, since everyone can read it from `/boxes/resolve`. */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

function isTooWide(domain: string): boolean {
  const [wildcard, ...labels] = domain.split('.');
  return wildcard === '*' && labels.length === 1 && !reservedTopLevelDomains.has(labels[0] as string);
}

/**
 * A domain belongs to one box. Hosts under a wildcard of another customer are rejected too, since an exact domain would
 * take precedence over it.
 * @throws domain_taken (409)
 */
async function rejectTakenDomains(
  transaction: Knex.Transaction,
  claims: readonly Claim[],
  claimant: { customerId: string; boxId: string },
): Promise<void> {
  const relevant = claims.flatMap(({ domain }) => [domain, ...(coveringWildcard(domain) ?? [])]);
  const owners = new Map((await findDomainOwners(transaction, relevant)).map((owner) => [owner.domain, owner]));
  for (const { sent, domain, index } of claims) {
    const owner = owners.get(domain);
    const wildcard = owners.get(coveringWildcard(domain)?.[0] ?? '');
    let detail: string | undefined;
    if (owner && owner.customerId !== claimant.customerId) {
      detail = `${sent} is registered by another customer. If it is yours, ask the vendor to release it.`;
    } else if (owner && owner.boxId !== claimant.boxId) {
      detail = `${sent} is registered for your box ${owner.boxName}. Deploy that box without it first.`;
    } else if (wildcard && wildcard.customerId !== claimant.customerId) {
      detail = `${sent} is covered by ${wildcard.domain}, which is registered by another customer.`;
    }
    if (detail) throw domainTaken(detail, { errors: [{ in: 'body', pointer: `/domains/${index}`, detail }] });
  }
}

function coveringWildcard(domain: string): [string] | null {
  const wildcard = domain.startsWith('*.') ? null : wildcardOver(domain);
  return wildcard && [wildcard.domain];
}

/**
 * Removes a domain from its box.
 * @throws not_found (404)
 */
export async function release(db: Knex, name: string): Promise<void> {
  const domain = normalizeDomain(name);
  if (domain === null || !(await releaseDomain(db, domain))) throw notFound(`No box has the domain ${name}.`);
}

/**
 * Finds the backend of a host. An exact domain takes precedence over a wildcard.
 * @throws not_found (404) for a host that no box serves, or that is not a host name
 */
export async function resolveHost(db: Knex, name: string) {
  const host = normalizeHost(name);
  const wildcard = host === null ? null : wildcardOver(host);
  const candidates = [host, wildcard?.domain].filter((domain) => typeof domain === 'string');
  const found = candidates.length > 0 ? await findBackend(db, candidates) : null;
  if (!found) throw notFound('No box serves this host.');
  const { backendUrl, domain } = found;
  if (domain === host) return { backendUrl, match: 'exact' as const };
  return { backendUrl, match: 'wildcard' as const, tenantSlug: wildcard?.label };
}
