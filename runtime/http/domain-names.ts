/**
 * Who may hold which domain (a normal host name, or `*.` before one: see host.ts), as far as the name alone tells:
 * names that nobody holds, names that need no proof, and the names above one, whose holder could take hosts from it.
 */
/** Names that no registry hands out (RFC 6761; RFC 2606 has the second-level ones): for trying things out. */
const reserved = new Set(['test', 'example', 'invalid', 'localhost', 'example.com', 'example.net', 'example.org']);

/** The name itself: what stands after the `*.` of a wildcard. */
export function baseOfDomain(domain: string): string {
  return domain.replace(/^\*\./, '');
}

/** A name with those above it, up to the top level: `a.b.com` gives `a.b.com`, `b.com` and `com`. */
export function withNamesAbove(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** True for a domain that nobody can own outside, so that there is nothing to prove. */
export function isReservedDomain(domain: string): boolean {
  return withNamesAbove(baseOfDomain(domain)).some((name) => reserved.has(name));
}

/**
 * True for what belongs to many (publicsuffix.org, its private part too): `com`, `co.uk`, `github.io`, any name of one
 * label, and the wildcards over them. `localhost` alone is an ordinary host. The list is loaded when it is first asked:
 * a start need not pay for it.
 */
export async function isPublicSuffix(domain: string): Promise<boolean> {
  if (domain === 'localhost') return false;
  const base = baseOfDomain(domain);
  const { getPublicSuffix } = await import('tldts');
  return getPublicSuffix(base, { allowPrivateDomains: true, extractHostname: false }) === base;
}
