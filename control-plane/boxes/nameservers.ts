/**
 * Checks whether domains are delegated to the vendor's nameservers, with DNS lookups at the time of the request. A failed
 * lookup is an outcome of its own: it means nothing for the domain.
 */
import { Resolver } from 'node:dns/promises';
import { normalizeHost } from '@carton/runtime/service';
import type { DomainStatus } from './schemas.ts';

const timeoutMilliseconds = 1_500;
const tries = 2;
/** For all lookups of one request together. */
const totalTimeoutMilliseconds = 8_000;

/** The NS lookup of a name: the nameservers of its zone, no zone of this name, or the code of a failure. */
type Lookup = { nameservers: string[] } | { missing: true } | { failure: string };

/** Codes of lookups whose name does not exist or is not that of a zone. */
const missingCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Checks that domains are delegated to the expected nameservers.
 * @param domains normalised names; wildcards are allowed
 * @param server address of the DNS server (`127.0.0.1:53`); by default that of the machine
 */
export async function checkDomains(
  domains: readonly string[],
  expected: readonly string[],
  server?: string,
): Promise<DomainStatus[]> {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries });
  if (server !== undefined) resolver.setServers([server]);
  const lookups = new Map<string, Promise<Lookup>>();
  const lookUp = (name: string): Promise<Lookup> => {
    const lookup = lookups.get(name) ?? lookUpNameservers(resolver, name);
    lookups.set(name, lookup);
    return lookup;
  };
  const timer = setTimeout(() => resolver.cancel(), totalTimeoutMilliseconds);
  try {
    return await Promise.all(domains.map((domain) => checkDomain(domain, expected, lookUp)));
  } finally {
    clearTimeout(timer);
  }
}

async function lookUpNameservers(resolver: Resolver, name: string): Promise<Lookup> {
  try {
    const nameservers = await resolver.resolveNs(name);
    return { nameservers: nameservers.flatMap((host) => normalizeHost(host) ?? []).sort() };
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    return missingCodes.has(code) ? { missing: true } : { failure: code };
  }
}

async function checkDomain(
  domain: string,
  expected: readonly string[],
  lookUp: (name: string) => Promise<Lookup>,
): Promise<DomainStatus> {
  const name = domain.replace(/^\*\./, '');
  const statusOf = (
    state: DomainStatus['state'],
    observed: string[],
    errors: DomainStatus['errors'],
  ): DomainStatus => ({
    domain,
    state,
    expectedNameservers: [...expected],
    observedNameservers: observed,
    errors,
    checkedAt: new Date().toISOString(),
  });

  for (const zone of zonesOf(name)) {
    const lookup = await lookUp(zone);
    if ('failure' in lookup) return statusOf('unknown', [], [lookupFailed(zone, lookup.failure)]);
    if ('missing' in lookup) continue;
    const { nameservers } = lookup;
    const unexpected = nameservers.filter((host) => !expected.includes(host));
    if (unexpected.length === 0) return statusOf('verified', nameservers, []);
    const isPartlyDelegated = unexpected.length < nameservers.length;
    return statusOf('failed', nameservers, [
      (isPartlyDelegated ? otherNameservers : notDelegated)(name, zone, unexpected, expected),
    ]);
  }
  const fix = `Register the domain, or correct its spelling and deploy the box again.`;
  return statusOf('failed', [], [{ code: 'domain_not_found', detail: `${name} does not exist in DNS.`, fix }]);
}

/** The possible zones of a name: the name itself and its parent domains, except the top-level domain. */
function zonesOf(name: string): string[] {
  const labels = name.split('.');
  const count = Math.max(1, labels.length - 1);
  return labels.slice(0, count).map((_, index) => labels.slice(index).join('.'));
}

type DomainError = DomainStatus['errors'][number];
type Explain = (name: string, zone: string, unexpected: readonly string[], expected: readonly string[]) => DomainError;

const notDelegated: Explain = (name, zone, unexpected, expected) => ({
  code: 'not_delegated',
  detail: `${zone} is served by ${unexpected.join(', ')}.`,
  fix: `At your registrar, set the nameservers of ${name}, or of the registered domain that contains it, to ${expected.join(', ')}.`,
});

const otherNameservers: Explain = (_, zone, unexpected, expected) => ({
  code: 'other_nameservers',
  detail: `${zone} is also served by ${unexpected.join(', ')}.`,
  fix: `At your registrar, remove ${unexpected.join(', ')} from the nameservers of ${zone}, so that only ${expected.join(', ')} remain.`,
});

function lookupFailed(zone: string, code: string): DomainError {
  return {
    code: 'lookup_failed',
    detail: `The DNS lookup of ${zone} failed (${code}).`,
    fix: 'Try again in a minute. If the lookup still fails, check that the nameservers of the domain respond.',
  };
}
