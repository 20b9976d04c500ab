/**
 * Proof that its claimant controls a domain: a TXT record below it, which only the owner of the name can create. A failed
 * lookup is reported separately from a missing record, since it does not show that the proof is wrong.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { vendor } from '../vendor.ts';
import { baseOfDomain } from './domain-names.ts';
import { object, type Static, Type } from './schemas.ts';

const timeoutMilliseconds = 1_500;
const tries = 2;

/** The DNS errors that mean that there is no such record. */
const missing = new Set(['ENOTFOUND', 'ENODATA']);

export const DomainRecord = object(
  {
    name: Type.String({ examples: [`_${vendor.name}.shop.example.com`] }),
    type: Type.Literal('TXT'),
    value: Type.String({ examples: [`${vendor.name}-verification=3f6a52a1c0013f6a52a1c0013f6a52a1c0013f6a`] }),
  },
  { $id: 'DomainRecord' },
);
export type DomainRecord = Static<typeof DomainRecord>;

export const recordFaultCodes = ['record_missing', 'record_differs', 'lookup_failed'] as const;

/** Why a record does not prove a domain, and how to correct it. */
export interface RecordFault {
  code: (typeof recordFaultCodes)[number];
  detail: string;
  fix: string;
}

/** The value of the record: random, so that the record of one claim does not prove another. It is no secret. */
export function newProof(): string {
  return `${vendor.name}-verification=${randomBytes(20).toString('hex')}`;
}

/** The record that proves a domain. That of a wildcard is below the name without `*.`. */
export function recordOf(domain: string, proof: string): DomainRecord {
  return { name: `_${vendor.name}.${baseOfDomain(domain)}`, type: 'TXT', value: proof };
}

/** A resolver that queries these DNS servers (`192.0.2.1:53`); without any, those of the machine. */
export function openResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/** Looks up a record in DNS. Returns the values of its name; the fault is null if the expected one is among them. */
export async function checkRecord(
  { name, value }: DomainRecord,
  resolver: Resolver,
): Promise<{ observed: string[]; fault: RecordFault | null }> {
  const instruction = `Create a TXT record with the name ${name} and the value ${value} in the domain's DNS zone`;
  try {
    const observed = (await resolver.resolveTxt(name)).map((parts) => parts.join('').trim());
    if (observed.includes(value)) return { observed, fault: null };
    const detail = `No TXT record of ${name} has the expected value.`;
    return { observed, fault: { code: 'record_differs', detail, fix: `${instruction}.` } };
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    if (missing.has(code)) {
      const fix = `${instruction} and verify again once it is published, which may take as long as the TTL of the zone's records.`;
      return { observed: [], fault: { code: 'record_missing', detail: `DNS has no TXT record of ${name}.`, fix } };
    }
    const detail = `The DNS lookup of ${name} failed (${code}), so the record could not be checked.`;
    const fix = 'Verify again in a minute. If it keeps failing, check that the nameservers of the domain respond.';
    return { observed: [], fault: { code: 'lookup_failed', detail, fix } };
  }
}
