/**
 * Normalization of host names, and the wildcard that covers a host.
 */
import { domainToASCII, domainToUnicode } from 'node:url';

/** Characters that a URL parser would decode, drop or treat as the end of the host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects control characters.
const forbidden = /[\u0000-\u0020\u007f%/\\?#@:<>[\]^|*]/;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Returns a host in the form in which it is stored and compared: lower case, ASCII (UTS #46), no port, no trailing dot.
 * Null for an invalid host name (RFC 1123, section 2.1) and for an IP address.
 */
export function normalizeHost(host: string): string | null {
  const bare = host.replace(/:\d{1,5}$/, '').replace(/\.$/, '');
  if (forbidden.test(bare)) return null;
  const ascii = domainToASCII(bare);
  const labels = ascii.split('.');
  // A name that ends in a number is parsed as an IPv4 address (WHATWG URL, section 3.5).
  const valid = ascii.length <= 253 && labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? '');
  return valid ? ascii : null;
}

/** What begins as Punycode must be the form of a name (RFC 5891, section 4.2): a parser leaves it as it is otherwise. */
function isLabel(part: string): boolean {
  return label.test(part) && (!part.startsWith('xn--') || domainToUnicode(part) !== part);
}

/** The same for a domain: a host name, or `*.` and a host name. */
export function normalizeDomain(domain: string): string | null {
  if (!domain.startsWith('*.')) return normalizeHost(domain);
  const host = normalizeHost(domain.slice(2));
  return host === null ? null : `*.${host}`;
}

/**
 * The wildcard that covers a normalized host, and the label that `*` matches: `a.example.com` gives
 * `{ domain: '*.example.com', label: 'a' }`. Null for a host of a single label.
 */
export function wildcardOver(host: string): { domain: string; label: string } | null {
  const dot = host.indexOf('.');
  return dot === -1 ? null : { domain: `*${host.slice(dot)}`, label: host.slice(0, dot) };
}
