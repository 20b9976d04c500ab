/**
 * Whether a domain is delegated to the vendor's nameservers. A failed lookup is an outcome of its own: it means nothing
 * for the domain.
 */
import type { Resolver } from 'node:dns/promises';
import { baseOfDomain, normalizeHost } from '@carton/runtime/service';
import { undelegatedZone } from '../../dns/settings.ts';
import type { DomainError } from '../schemas.ts';

/** The NS lookup of a name: the nameservers of its zone, no zone of this name, or the code of a failure. */
type Lookup = { nameservers: string[] } | { missing: true } | { failure: string };

/** Codes of lookups whose name does not exist or is not that of a zone. */
const missingCodes = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** The nameservers of the zone that contains a domain; `fault` is null if it is delegated to the expected ones only. */
export interface Delegation {
  observed: string[];
  fault: DomainError | null;
}

/**
 * Checks delegations to these nameservers. Each zone is looked up once.
 * @param haveAllZones whether the nameservers have a zone for every domain, delegated or not. A DNS server that asks them
 * directly, instead of following delegations, would then prove every domain
 */
export function delegationChecks(
  resolver: Resolver,
  expected: readonly string[],
  haveAllZones: boolean,
): (domain: string) => Promise<Delegation> {
  const lookups = new Map<string, Promise<Lookup>>();
  const lookUp = (name: string): Promise<Lookup> => {
    const lookup = lookups.get(name) ?? lookUpNameservers(resolver, name);
    lookups.set(name, lookup);
    return lookup;
  };
  return async (domain) => {
    if (haveAllZones && 'nameservers' in (await lookUp(undelegatedZone))) return { observed: [], fault: wrongLookups };
    return checkDelegation(baseOfDomain(domain), expected, lookUp);
  };
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

async function checkDelegation(
  name: string,
  expected: readonly string[],
  lookUp: (name: string) => Promise<Lookup>,
): Promise<Delegation> {
  for (const zone of zonesOf(name)) {
    const lookup = await lookUp(zone);
    if ('failure' in lookup) return { observed: [], fault: lookupFailed(zone, lookup.failure) };
    if ('missing' in lookup) continue;
    const { nameservers } = lookup;
    if (nameservers.length === 0) return { observed: [], fault: lookupFailed(zone, 'ENODATA') };
    const unexpected = nameservers.filter((host) => !expected.includes(host));
    if (unexpected.length === 0) return { observed: nameservers, fault: null };
    const isPartlyDelegated = unexpected.length < nameservers.length;
    const explain = isPartlyDelegated ? otherNameservers : notDelegated;
    return { observed: nameservers, fault: explain(name, zone, unexpected, expected) };
  }
  const fix = `Register the domain, or correct its spelling and deploy the box again.`;
  return { observed: [], fault: { code: 'domain_not_found', detail: `${name} does not exist in DNS.`, fix } };
}

/** The possible zones of a name: the name itself and its parent domains, except the top-level domain. */
function zonesOf(name: string): string[] {
  const labels = name.split('.');
  const count = Math.max(1, labels.length - 1);
  return labels.slice(0, count).map((_, index) => labels.slice(index).join('.'));
}

type Explain = (name: string, zone: string, unexpected: readonly string[], expected: readonly string[]) => DomainError;

const notDelegated: Explain = (name, zone, unexpected, expected) => ({
  code: 'not_delegated',
  detail: `${zone} is served by ${unexpected.join(', ')}.`,
  fix: `Alternatively, set the nameservers of ${name}, or of the registered domain that contains it, to ${expected.join(', ')} at your registrar.`,
});

const otherNameservers: Explain = (_, zone, unexpected, expected) => ({
  code: 'other_nameservers',
  detail: `${zone} is also served by ${unexpected.join(', ')}.`,
  fix: `Alternatively, remove ${unexpected.join(', ')} from the nameservers of ${zone} at your registrar, so that only ${expected.join(', ')} remain.`,
});

const wrongLookups: DomainError = {
  code: 'lookup_failed',
  detail:
    'The DNS server of the control plane asks the nameservers of the vendor directly, so it cannot tell delegation.',
  fix: 'Tell the vendor to set NAMESERVER_LOOKUP to a resolver that follows delegations. The TXT record proves the domain meanwhile.',
};

function lookupFailed(zone: string, code: string): DomainError {
  return {
    code: 'lookup_failed',
    detail: `The DNS lookup of ${zone} failed (${code}).`,
    fix: 'Verify again in a minute. If the lookup still fails, check that the nameservers of the domain respond.',
  };
}
