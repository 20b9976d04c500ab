/**
 * Rules for URLs by the addresses to which their names resolve: checked when a URL is stored, and again when it is used,
 * since names can change at any time. Only the addresses that were checked may be connected to.
 */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isForbiddenAddress } from './addresses.ts';
import { faultOfAddress, faultOfUrl, hostOf, type UrlRules } from './urls.ts';

const timeoutMilliseconds = 1_000;
/** How long addresses are kept. */
const cacheMilliseconds = 30_000;
/** How long a failed lookup is kept. */
const failureMilliseconds = 5_000;
const mostCached = 10_000;

const missing = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** The addresses of a host; none if it does not exist, or if the lookup failed with the code `failure`. */
interface Lookup {
  addresses: string[];
  failure: string | null;
}

export interface UrlVerdict {
  /** `unresolved`: the name does not exist (yet). `unknown`: the lookup failed. */
  state: 'allowed' | 'forbidden' | 'unresolved' | 'unknown';
  addresses: string[];
  /** Why it is forbidden. */
  fault: string | null;
}

export type CheckUrl = (url: string) => Promise<UrlVerdict>;

/** Opens checks of URLs, which share a cache. */
export function openUrlChecks(rules: UrlRules, dnsServer: string | undefined): CheckUrl {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries: 1 });
  if (dnsServer !== undefined) resolver.setServers([dnsServer]);
  const cache = new Map<string, { lookup: Promise<Lookup>; until: number }>();

  const lookUp = (host: string): Promise<Lookup> => {
    const cached = cache.get(host);
    if (cached && cached.until > Date.now()) return cached.lookup;
    const entry = { lookup: lookUpAddresses(resolver, host), until: Date.now() + cacheMilliseconds };
    cache.delete(host);
    if (cache.size >= mostCached) cache.delete(cache.keys().next().value as string);
    cache.set(host, entry);
    // A failed lookup does not change what is known of the host.
    entry.lookup = entry.lookup.then(async (lookup) => {
      if (lookup.failure === null) return lookup;
      entry.until = Date.now() + failureMilliseconds;
      return cached ? cached.lookup : lookup;
    });
    return entry.lookup;
  };

  return async (url) => {
    const fault = faultOfUrl(url, rules);
    if (fault !== null) return { state: 'forbidden', addresses: [], fault };
    const host = hostOf(url);
    if (isIP(host) > 0) return { state: 'allowed', addresses: [host], fault: null };
    const { addresses, failure } = await lookUp(host);
    const forbidden = addresses.find((address) => isForbiddenAddress(address, rules.allowPrivate));
    if (forbidden !== undefined) return { state: 'forbidden', addresses, fault: faultOfAddress(forbidden) };
    if (addresses.length > 0) return { state: 'allowed', addresses, fault: null };
    return { state: failure === null ? 'unresolved' : 'unknown', addresses, fault: null };
  };
}

async function lookUpAddresses(resolver: Resolver, host: string): Promise<Lookup> {
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const codes = results.flatMap((result) => (result.status === 'rejected' ? (result.reason.code ?? 'EUNKNOWN') : []));
  return { addresses, failure: codes.find((code) => !missing.has(code)) ?? null };
}
