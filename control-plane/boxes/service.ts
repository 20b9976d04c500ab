/**
 * Boxes: what they are called, where they answer, and which domains are theirs.
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

export const domainTaken = defineProblem({ code: 'domain_taken', status: 409, title: 'This domain is registered' });

/** Names that no registry hands out (RFC 6761): for trying things out, a wildcard may stand right before them. */
const reservedNames = new Set(['localhost', 'test']);

/** A domain as given and as it is stored. */
interface Claim {
  given: string;
  domain: string;
  index: number;
}

/**
 * Registers a customer's box: the first time it is made, then it is replaced with its list of domains.
 * @throws invalid_request (400) naming each wrong field, domain_taken (409) naming the domain
 */
export async function deployBox(db: Knex, customerId: string, box: Omit<DeployBoxDto, 'key'>): Promise<void> {
  const { name, backendUrl, frontendUrl = null } = box;
  const claims = readClaims(box);
  await db
    .transaction(async (transaction) => {
      await lockDomains(transaction);
      const boxId = await saveBox(transaction, { customerId, name, backendUrl, frontendUrl });
      await refuseTaken(transaction, claims, { customerId, boxId });
      const domains = [...new Set(claims.map(({ domain }) => domain))];
      await replaceDomains(transaction, boxId, domains);
    })
    .catch((error) => {
      // The lock makes this impossible; the key of the table would still keep the domain with its first owner.
      throw isUniqueViolation(error, 'box_domains_pkey') ? domainTaken('One of the domains is registered.') : error;
    });
}

/** The domains as they are stored. @throws invalid_request (400) naming every field that is wrong */
function readClaims({ backendUrl, frontendUrl, domains }: Omit<DeployBoxDto, 'key'>): Claim[] {
  const errors: FieldError[] = [];
  const fault = (pointer: string, detail: string) => errors.push({ in: 'body', pointer, detail });
  if (!isPublicUrl(backendUrl)) fault('/backendUrl', 'must be an http or https address without user and password');
  if (frontendUrl !== undefined && !isPublicUrl(frontendUrl)) {
    fault('/frontendUrl', 'must be an http or https address without user and password');
  }
  const claims = domains.map((given, index) => {
    const domain = normalizeDomain(given);
    if (domain === null) fault(`/domains/${index}`, 'must be a host name, or *. before one');
    else if (isTooWide(domain)) fault(`/domains/${index}`, 'must not stand for all names below a top-level domain');
    return { given, domain: domain as string, index };
  });
  if (errors.length > 0) throw invalidRequest(`body ${errors[0]?.pointer}: ${errors[0]?.detail}`, { errors });
  return claims;
}

/** What resolve answers to anyone: credentials have no place in it. */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

function isTooWide(domain: string): boolean {
  const [wildcard, ...labels] = domain.split('.');
  return wildcard === '*' && labels.length === 1 && !reservedNames.has(labels[0] as string);
}

/**
 * A domain belongs to one box. Under a wildcard of another customer no host can be registered either:
 * the exact name would take the host from it.
 */
async function refuseTaken(
  transaction: Knex.Transaction,
  claims: readonly Claim[],
  claimant: { customerId: string; boxId: string },
): Promise<void> {
  const wanted = claims.flatMap(({ domain }) => [domain, ...(coveringWildcard(domain) ?? [])]);
  const owners = new Map((await findDomainOwners(transaction, wanted)).map((owner) => [owner.domain, owner]));
  for (const { given, domain, index } of claims) {
    const owner = owners.get(domain);
    const wide = owners.get(coveringWildcard(domain)?.[0] ?? '');
    let detail: string | undefined;
    if (owner && owner.customerId !== claimant.customerId) {
      detail = `${given} is registered by another customer. If it is yours, ask the vendor to release it.`;
    } else if (owner && owner.boxId !== claimant.boxId) {
      detail = `${given} is registered for your box ${owner.boxName}. Deploy that box without it first.`;
    } else if (wide && wide.customerId !== claimant.customerId) {
      detail = `${given} is under ${wide.domain}, which is registered by another customer.`;
    }
    if (detail) throw domainTaken(detail, { errors: [{ in: 'body', pointer: `/domains/${index}`, detail }] });
  }
}

function coveringWildcard(domain: string): [string] | null {
  const wildcard = domain.startsWith('*.') ? null : wildcardOver(domain);
  return wildcard && [wildcard.domain];
}

/** Frees a domain, whoever has it. @throws not_found (404) */
export async function release(db: Knex, given: string): Promise<void> {
  const domain = normalizeDomain(given);
  if (domain === null || !(await releaseDomain(db, domain))) throw notFound(`No box has the domain ${given}.`);
}

/**
 * The backend that serves a host: an exact name before the wildcard that covers it.
 * @throws not_found (404) for a host that no box has, or that is no host name
 */
export async function resolveHost(db: Knex, given: string) {
  const host = normalizeHost(given);
  const wildcard = host === null ? null : wildcardOver(host);
  const candidates = [host, wildcard?.domain].filter((domain) => typeof domain === 'string');
  const found = candidates.length > 0 ? await findBackend(db, candidates) : null;
  if (!found) throw notFound('No box serves this host.');
  const { backendUrl, domain } = found;
  if (domain === host) return { backendUrl, match: 'exact' as const };
  return { backendUrl, match: 'wildcard' as const, tenantSlug: wildcard?.label };
}
