/**
 * The proof that a host is a merchant's: a TXT record below it, which only who holds the name can write. "Could not
 * ask" is an outcome of its own: it says nothing about the host.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { baseOfDomain, type HasExtensions, vendor } from '@carton/runtime';
import type { DomainFault, DomainRecord } from './schemas.ts';
import { tenantSettings } from './settings.ts';

const timeoutMilliseconds = 1_500;
const tries = 2;

/** DNS says that there is no such record. */
const missing = new Set(['ENOTFOUND', 'ENODATA']);

/** What a record has to say: a secret to nobody, and different for each merchant, so that none proves another's. */
export function newProof(): string {
  return `${vendor.name}-verification=${randomBytes(20).toString('hex')}`;
}

/** The record that proves a domain; a wildcard is proved by its name. */
export function recordOf(domain: string, proof: string): DomainRecord {
  return { name: `_${vendor.name}.${baseOfDomain(domain)}`, type: 'TXT', value: proof };
}

/** Asks DNS for a record. Null when it is there, else what is wrong and what to do. */
export async function askForRecord(box: HasExtensions, { name, value }: DomainRecord): Promise<DomainFault | null> {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries });
  const { dnsServers } = tenantSettings.of(box);
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const write = `Write a TXT record with the name ${name} and the value ${value} where the DNS of the domain is kept`;
  try {
    const records = (await resolver.resolveTxt(name)).map((parts) => parts.join('').trim());
    if (records.includes(value)) return null;
    return {
      code: 'record_differs',
      detail: `No TXT record of ${name} has the value that is expected.`,
      fix: `${write}.`,
    };
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    if (missing.has(code)) {
      const fix = `${write}, and ask again when DNS has it: that may take as long as its records live.`;
      return { code: 'record_missing', detail: `DNS has no TXT record of ${name}.`, fix };
    }
    return {
      code: 'lookup_failed',
      detail: `DNS could not be asked about ${name} (${code}), so nothing is known about it.`,
      fix: 'Ask again in a minute. If it stays, see whether the nameservers of the domain answer.',
    };
  }
}
