/**
 * The hosts of the store, and the origin of its website.
 */
import { type BoxServices, normalizeHost, type TenantDatabase, wildcardOver } from '@carton/runtime';
import { listOwnHosts } from '@carton/tenant';

/** Whether a host is one of the hosts at which a tenant is served, which may be wildcards. */
export function isHostOf(hosts: readonly string[], host: string): boolean {
  const normalized = normalizeHost(host);
  if (normalized === null) return false;
  const wildcard = wildcardOver(normalized)?.domain;
  return hosts.includes(normalized) || (wildcard !== undefined && hosts.includes(wildcard));
}

/**
 * The origin of the website, for absolute addresses: the requested host if it is one of the tenant's, else the first of
 * these. A tenant without hosts is the only one of the box, at any host: it has that of the request.
 */
export async function originOf(
  db: TenantDatabase,
  { headers, cookies }: Pick<BoxServices, 'headers' | 'cookies'>,
): Promise<string> {
  const hosts = (await listOwnHosts(db)).filter((host) => host !== 'localhost');
  // X-Forwarded-Host may be anyone's, so it only selects one of the tenant's hosts.
  const requested = [headers['x-forwarded-host'], headers.host].map(String).find((host) => isHostOf(hosts, host));
  const own = requested === undefined ? firstOf(hosts) : normalizeHost(requested);
  return own ? `https://${own}` : `${cookies.secure ? 'https' : 'http'}://${headers.host ?? 'localhost'}`;
}

const firstOf = (hosts: readonly string[]) => hosts.filter((host) => !host.startsWith('*.')).toSorted()[0];
