/**
 * Proof that a tenant controls a host: a TXT record below it, which only the owner of the name can create. A failed
 * lookup is reported separately from a missing record, since it does not show that the proof is wrong.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { baseOfDomain, type HasExtensions, vendor } from '@carton/runtime';
import type { DomainFault, DomainRecord } from './schemas.ts';
import { tenantSettings } from './settings.ts';

const timeoutMilliseconds = 1_500;
const tries = 2;

/** The DNS errors that mean that there is no such record. */
const missing = new Set(['ENOTFOUND', 'ENODATA']);

/** The value of the record: random, so that one tenant's record does not prove another's claim. It is no secret. */
export function newProof(): string {
  return `${vendor.name}-verification=${randomBytes(20).toString('hex')}`;
}

/** The record that proves a domain. That of a wildcard is below the name without `*.`. */
export function recordOf(domain: string, proof: string): DomainRecord {
  return { name: `_${vendor.name}.${baseOfDomain(domain)}`, type: 'TXT', value: proof };
}

/** Looks up a record in DNS. Returns null if it exists, else the fault and how to correct it. */
export async function checkRecord(box: HasExtensions, { name, value }: DomainRecord): Promise<DomainFault | null> {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries });
  const { dnsServers } = tenantSettings.of(box);
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const instruction = `Create a TXT record with the name ${name} and the value ${value} in the domain's DNS zone`;
  try {
    const records = (await resolver.resolveTxt(name)).map((parts) => parts.join('').trim());
    if (records.includes(value)) return null;
    return {
      code: 'record_differs',
      detail: `No TXT record of ${name} has the expected value.`,
      fix: `${instruction}.`,
    };
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    if (missing.has(code)) {
      const fix = `${instruction} and verify again once it is published, which may take as long as the TTL of the zone's records.`;
      return { code: 'record_missing', detail: `DNS has no TXT record of ${name}.`, fix };
    }
    return {
      code: 'lookup_failed',
      detail: `The DNS lookup of ${name} failed (${code}), so the record could not be checked.`,
      fix: 'Verify again in a minute. If it keeps failing, check that the nameservers of the domain respond.',
    };
  }
}
