/**
 * Looks up the proofs of domains in DNS. A domain is proved by its TXT record or by its delegation; that one of them is
 * missing is no fault.
 */
import { checkRecord, openResolver, recordOf } from '@carton/runtime/service';
import type { PowerDnsSettings } from '../../dns/settings.ts';
import type { Findings } from '../schemas.ts';
import { delegationChecks } from './nameservers.ts';

/** For all lookups of one call together. */
const totalTimeoutMilliseconds = 8_000;

export interface DnsSettings {
  /** Nameservers that domains of boxes are delegated to; without them, delegation is not checked. */
  readonly nameservers: readonly string[];
  /** DNS server for lookups, such as `127.0.0.1:53`; by default that of the machine. */
  readonly nameserverLookup?: string | undefined;
  /** Not null if the nameservers have a zone for every domain, delegated or not. */
  readonly powerdns?: PowerDnsSettings | null | undefined;
}

const cannotBeDelegated = async () => null;

/** What a check found: the proof, that there is none, or that DNS could not tell. */
export interface Outcome {
  result: 'record' | 'delegation' | 'missing' | 'unknown';
  findings: Findings;
}

/** Checks domains; `proof` is the expected value of the TXT record. The outcomes are in the order of the domains. */
export async function checkProofs(
  domains: readonly { domain: string; proof: string }[],
  { nameservers, nameserverLookup, powerdns }: DnsSettings,
): Promise<Outcome[]> {
  const resolver = openResolver(nameserverLookup === undefined ? [] : [nameserverLookup]);
  const checkDelegation =
    nameservers.length > 0 ? delegationChecks(resolver, nameservers, Boolean(powerdns)) : cannotBeDelegated;
  const timer = setTimeout(() => resolver.cancel(), totalTimeoutMilliseconds);
  try {
    return await Promise.all(
      domains.map(async ({ domain, proof }) => {
        const [record, delegation] = await Promise.all([
          checkRecord(recordOf(domain, proof), resolver),
          checkDelegation(domain),
        ]);
        const findings = { observedRecords: record.observed, observedNameservers: delegation?.observed ?? [] };
        if (record.fault === null) return { result: 'record', findings: { ...findings, errors: [] } } as const;
        if (delegation?.fault === null) return { result: 'delegation', findings: { ...findings, errors: [] } } as const;
        const errors = [record.fault, ...(delegation === null ? [] : [delegation.fault])];
        const isUnknown = errors.some(({ code }) => code === 'lookup_failed');
        return { result: isUnknown ? 'unknown' : 'missing', findings: { ...findings, errors } } as const;
      }),
    );
  } finally {
    clearTimeout(timer);
  }
}
