/**
 * From the host of a request to the box that serves it: what the control plane knows of the host and, if the box alone
 * knows the tenant, what the box says.
 */
import { isIP } from 'node:net';
import { hostingSecretHeader, normalizeHost } from '@carton/runtime/service';
import type { Log } from '../registry/log.ts';
import { firstOf, type Secret } from '../registry/secrets.ts';
import { openCache } from './cache.ts';
import { getJson, type JsonAnswer } from './requests.ts';

/** Where the requests of a host go. */
export interface Destination {
  scheme: 'http' | 'https';
  /** `name:port`. The name is resolved by `addressesOf` only. */
  backend: string;
  /** Null if the box finds the tenant by the host. */
  tenantSlug: string | null;
  /** Null for a box without one, which believes no slug. */
  hostingSecret: string | null;
}

export type Finding = { state: 'found'; destination: Destination } | { state: 'unknown' | 'forbidden' };

export interface DestinationOptions {
  /** Without a trailing slash. */
  controlPlaneUrl: string;
  /** The secret of the vendor. */
  hostingSecret: Secret;
  log: Log;
  /** Milliseconds of a monotonic clock; tests pass their own. */
  elapsed?: () => number;
}

export interface Destinations {
  /** Finds the destination of a host. @throws Error while it cannot be known */
  find(host: string): Promise<Finding>;
  /** Whether a proved domain has the host. Addresses have none. @throws Error while it cannot be known */
  isServed(host: string): Promise<boolean>;
  /** The checked addresses of a backend; none for a name that is not that of a known backend. */
  addressesOf(name: string): readonly string[];
}

const second = 1000;
const timeout = 3 * second;
const lifetimes = {
  most: 20_000,
  fresh: 30 * second,
  freshMissing: 10 * second,
  stale: 24 * 3600 * second,
  pause: 2 * second,
};

/** What the control plane says of a host. */
type Known =
  | { state: 'unknown' | 'forbidden' }
  | { state: 'found'; url: URL; match: string; tenantSlug: string | null; hostingSecret: string | null };

export function openDestinations(options: DestinationOptions): Destinations {
  const { controlPlaneUrl, log, elapsed } = options;
  /** The addresses of backends by name, in order of use. */
  const addresses = new Map<string, readonly string[]>();

  const keepAddresses = (name: string, found: readonly string[]) => {
    addresses.delete(name);
    if (addresses.size >= lifetimes.most) addresses.delete(addresses.keys().next().value as string);
    addresses.set(name, found);
  };

  const hosts = openCache<Known>(
    {
      ...lifetimes,
      isMissing: ({ state }) => state !== 'found',
      async load(host) {
        const url = new URL(`${controlPlaneUrl}/boxes/hosting?host=${encodeURIComponent(host)}`);
        const headers = { authorization: `Bearer ${firstOf(options.hostingSecret)}` };
        const answer = await getJson(url, { headers, timeout }).catch((error) => {
          log('warn', 'the control plane does not answer', { host, reason: error.message });
          throw error;
        });
        const known = readKnown(answer);
        if (known === null) {
          log('warn', 'the control plane did not say who serves a host', { host, status: answer.status });
          throw new Error(`the control plane answered with ${answer.status}`);
        }
        if (known.state === 'found') keepAddresses(nameOf(known.url), answer.body?.addresses as string[]);
        return known;
      },
    },
    elapsed,
  );

  const tenants = openCache<string | null>(
    {
      ...lifetimes,
      isMissing: (slug) => slug === null,
      async load(key) {
        const [host, href] = key.split(' ') as [string, string];
        const known = await hosts.get(host);
        if (known.state !== 'found' || known.url.href !== href) throw new Error('the box of the host has changed');
        const url = new URL(`/tenants/lookup?host=${encodeURIComponent(host)}`, known.url);
        const headers = { [hostingSecretHeader]: known.hostingSecret ?? '' };
        const { status, body } = await getJson(url, { headers, timeout, addresses: addressesOf(nameOf(known.url)) });
        if (status === 200 && typeof body?.tenantSlug === 'string') return body.tenantSlug;
        if (status === 404) return null;
        throw new Error(`the box answered with ${status}`);
      },
    },
    elapsed,
  );

  const addressesOf = (name: string): readonly string[] => (isIP(name) > 0 ? [name] : (addresses.get(name) ?? []));

  /** The tenant of an exact host; null if the box does not say, and then finds it itself. */
  const tenantOf = (host: string, url: URL) =>
    tenants.get(`${host} ${url.href}`).catch((error) => {
      log('warn', 'a box did not say which tenant a host has', { host, reason: error.message });
      return null;
    });

  return {
    addressesOf,
    async isServed(requested) {
      const host = normalizeHost(requested);
      return host !== null && (await hosts.get(host)).state === 'found';
    },
    async find(requested) {
      const host = normalizeHost(requested);
      if (host === null) return { state: 'unknown' };
      const known = await hosts.get(host);
      if (known.state !== 'found') return known;
      const { url, hostingSecret } = known;
      // A slug without the secret would be refused by the box.
      let tenantSlug = hostingSecret === null ? null : known.tenantSlug;
      if (hostingSecret !== null && known.match === 'exact') tenantSlug = await tenantOf(host, url);
      const scheme = url.protocol === 'https:' ? 'https' : 'http';
      const port = url.port || (scheme === 'https' ? '443' : '80');
      return {
        state: 'found',
        destination: { scheme, backend: `${url.hostname}:${port}`, tenantSlug, hostingSecret },
      };
    },
  };
}

/** The host of a URL as DNS has it: without brackets or a trailing dot. */
function nameOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Null for an answer that does not say who serves the host: then nothing is known of it. */
function readKnown({ status, body }: JsonAnswer): Known | null {
  if (status === 404 && body?.code === 'not_found') return { state: 'unknown' };
  if (status === 503 && body?.code === 'backend_forbidden') return { state: 'forbidden' };
  if (status !== 200 || typeof body?.backendUrl !== 'string' || !Array.isArray(body.addresses)) return null;
  if (body.addresses.length === 0) return null;
  const textOr = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    state: 'found',
    url: new URL(body.backendUrl),
    match: String(body.match),
    tenantSlug: textOr(body.tenantSlug),
    hostingSecret: textOr(body.hostingSecret),
  };
}
