/**
 * What the vendor's nameserver is and serves.
 */
import { createHash } from 'node:crypto';
import { vendor } from '@carton/runtime/service';

/** Where the website hosting layer is: its addresses in canonical notation, or its host name. */
export type Hosting = { readonly addresses: readonly string[] } | { readonly name: string };

export interface PowerDnsSettings {
  /** URL of the webserver of PowerDNS, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** Mail address of the zones' administrator. */
  readonly contact: string;
  readonly hosting: Hosting;
}

export interface ZoneSettings {
  readonly nameservers: readonly string[];
  /** Hosts of the vendor, over which no zone is made. */
  readonly ownHosts: readonly string[];
  readonly powerdns: PowerDnsSettings;
}

/**
 * A zone that the nameserver serves and that is delegated nowhere: `.invalid` does not exist (RFC 6761, section 6.4). A
 * DNS server that finds its nameservers asks the vendor's nameserver for every name, delegated or not.
 */
export const undelegatedZone = `undelegated.${vendor.name}.invalid`;

/** Identifies the settings that determine the records of a zone, and whether there is one. */
export function digestOf({ nameservers, ownHosts, powerdns: { contact, hosting } }: ZoneSettings): string {
  return createHash('sha256')
    .update(JSON.stringify([nameservers, ownHosts, contact, hosting]))
    .digest('base64url');
}
