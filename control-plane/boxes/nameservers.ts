/**
 * Whether domains are delegated to the vendor's nameservers, asked of DNS at the moment somebody wants to know.
 * "Could not ask" is an outcome of its own: it says nothing about the domain.
 */
import { Resolver } from 'node:dns/promises';
import { normalizeHost } from '@carton/runtime/service';
import type { DomainStatus } from './schemas.ts';

const timeoutMilliseconds = 1_500;
const tries = 2;
/** All questions of one status together. */
const patienceMilliseconds = 8_000;

/** What DNS says about one name: the nameservers of a zone that begins there, nothing, or no word at all. */
type Answer = { nameservers: string[] } | { missing: true } | { unanswered: string };

/** DNS says that the name does not exist, or that no zone begins there. */
const missing = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Checks domains (normal, wildcards too) against the nameservers they should be delegated to.
 * @param server address of the DNS server to ask (`127.0.0.1:53`); the machine's own unless told
 */
export async function checkDomains(
  domains: readonly string[],
  expected: readonly string[],
  server?: string,
): Promise<DomainStatus[]> {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries });
  if (server !== undefined) resolver.setServers([server]);
  const answers = new Map<string, Promise<Answer>>();
  const ask = (name: string): Promise<Answer> => {
    const answer = answers.get(name) ?? askOnce(resolver, name);
    answers.set(name, answer);
    return answer;
  };
  const giveUp = setTimeout(() => resolver.cancel(), patienceMilliseconds);
  try {
    return await Promise.all(domains.map((domain) => checkDomain(domain, expected, ask)));
  } finally {
    clearTimeout(giveUp);
  }
}

async function askOnce(resolver: Resolver, name: string): Promise<Answer> {
  try {
    const nameservers = await resolver.resolveNs(name);
    return { nameservers: nameservers.flatMap((host) => normalizeHost(host) ?? []).sort() };
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    return missing.has(code) ? { missing: true } : { unanswered: code };
  }
}

async function checkDomain(
  domain: string,
  expected: readonly string[],
  ask: (name: string) => Promise<Answer>,
): Promise<DomainStatus> {
  const name = domain.replace(/^\*\./, '');
  const checked = (state: DomainStatus['state'], observed: string[], errors: DomainStatus['errors']): DomainStatus => ({
    domain,
    state,
    expectedNameservers: [...expected],
    observedNameservers: observed,
    errors,
    checkedAt: new Date().toISOString(),
  });

  for (const zone of zonesOf(name)) {
    const answer = await ask(zone);
    if ('unanswered' in answer) return checked('unknown', [], [lookupFailed(zone, answer.unanswered)]);
    if ('missing' in answer) continue;
    const { nameservers } = answer;
    const strangers = nameservers.filter((host) => !expected.includes(host));
    if (strangers.length === 0) return checked('verified', nameservers, []);
    const isPartly = strangers.length < nameservers.length;
    return checked('failed', nameservers, [
      (isPartly ? otherNameservers : notDelegated)(name, zone, strangers, expected),
    ]);
  }
  const fix = `Register the domain, or correct its spelling and deploy the box again.`;
  return checked('failed', [], [{ code: 'domain_not_found', detail: `DNS does not know ${name}.`, fix }]);
}

/** Where the zone of a name may begin: at the name itself or above, a top-level domain left out. */
function zonesOf(name: string): string[] {
  const labels = name.split('.');
  const count = Math.max(1, labels.length - 1);
  return labels.slice(0, count).map((_, index) => labels.slice(index).join('.'));
}

type DomainError = DomainStatus['errors'][number];
type Explain = (name: string, zone: string, strangers: readonly string[], expected: readonly string[]) => DomainError;

const notDelegated: Explain = (name, zone, strangers, expected) => ({
  code: 'not_delegated',
  detail: `${zone} is served by ${strangers.join(', ')}.`,
  fix: `At your registrar, set the nameservers of ${name}, or of the domain above it that you registered, to ${expected.join(', ')}.`,
});

const otherNameservers: Explain = (_, zone, strangers, expected) => ({
  code: 'other_nameservers',
  detail: `${zone} is served by ${strangers.join(', ')} too.`,
  fix: `At your registrar, remove ${strangers.join(', ')} from the nameservers of ${zone}, so that only ${expected.join(', ')} are left.`,
});

function lookupFailed(zone: string, code: string): DomainError {
  return {
    code: 'lookup_failed',
    detail: `DNS could not be asked about ${zone} (${code}).`,
    fix: 'Nothing has to be changed for this: ask again in a minute. If it stays, check that the nameservers of the domain answer.',
  };
}
