/**
 * Host names: one spelling for all that mean the same, and the wildcard that would cover one.
 */
import { domainToASCII } from 'node:url';

/** What a URL parser would decode, drop or read as the end of the host: none of it belongs into a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const foreign = /[\u0000-\u0020\u007f%/\\?#@:<>[\]^|*]/;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * A host as it is stored and compared: lower case, ASCII (UTS #46), no port, no trailing dot.
 * Null for what is no host name (RFC 1123, section 2.1); an IP address is none.
 */
export function normalizeHost(given: string): string | null {
  const bare = given.replace(/:\d{1,5}$/, '').replace(/\.$/, '');
  if (foreign.test(bare)) return null;
  const ascii = domainToASCII(bare);
  const labels = ascii.split('.');
  // A name that ends in a number is read as an IPv4 address (WHATWG URL, section 3.5).
  const valid = ascii.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return valid ? ascii : null;
}

/** The same for what may be registered: a host name, or `*.` before one. */
export function normalizeDomain(given: string): string | null {
  if (!given.startsWith('*.')) return normalizeHost(given);
  const host = normalizeHost(given.slice(2));
  return host === null ? null : `*.${host}`;
}

/**
 * The wildcard that covers a normal host, with the one label that `*` stands for: `a.example.com` is
 * `{ domain: '*.example.com', label: 'a' }`. Null for a host of a single label.
 */
export function wildcardOver(host: string): { domain: string; label: string } | null {
  const dot = host.indexOf('.');
  return dot === -1 ? null : { domain: `*${host.slice(dot)}`, label: host.slice(0, dot) };
}
