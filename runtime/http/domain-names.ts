/**
 * Classification of domains (a normalized host name, or `*.` and one; see host.ts) by name alone: public suffixes, which
 * nobody can own, reserved names, which need no proof of ownership, and parent names, whose owner controls the domain.
 */

/** Names that no registry assigns (RFC 6761; RFC 2606 for the second-level ones), for tests and examples. */
const reserved = new Set(['test', 'example', 'invalid', 'localhost', 'example.com', 'example.net', 'example.org']);

/** The domain without the `*.` of a wildcard. */
export function baseOfDomain(domain: string): string {
  return domain.replace(/^\*\./, '');
}

/** A name and its parents, up to the top level: `a.b.com` gives `a.b.com`, `b.com` and `com`. */
export function withNamesAbove(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** True for a domain that nobody can register, so that no proof of ownership is needed. */
export function isReservedDomain(domain: string): boolean {
  return withNamesAbove(baseOfDomain(domain)).some((name) => reserved.has(name));
}

/**
 * True for a public suffix (publicsuffix.org, including its private section): `com`, `co.uk`, `github.io`, any name of
 * one label, and the wildcards over them. `localhost` is an ordinary host. The list is loaded at the first call, to keep
 * the start fast.
 */
export async function isPublicSuffix(domain: string): Promise<boolean> {
  if (domain === 'localhost') return false;
  const base = baseOfDomain(domain);
  const { default: tldts } = await import('tldts');
  return tldts.getPublicSuffix(base, { allowPrivateDomains: true, extractHostname: false }) === base;
}
