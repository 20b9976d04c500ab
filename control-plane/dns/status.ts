/**
 * What the status of a box says of the zones of its domains.
 */
import { baseOfDomain, isReservedDomain } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { findZones, type ZoneRow, type ZoneState } from './store.ts';

export interface ZoneStatus {
  state: ZoneState;
  detail: string | null;
  fix: string | null;
}

const untilThen =
  'It is repeated until it is done. Change the nameservers at your registrar once the state is `served`.';
const refusals: Record<string, string> = {
  reserved: 'is reserved for tests and examples',
  public_suffix: 'is a public suffix',
  vendor: 'is at or above a name of the vendor, or in a zone of the vendor',
};

/** Describes the zones of these domains, by domain; null for a domain that cannot be delegated. */
export async function describeZones(db: Knex, domains: readonly string[]): Promise<Map<string, ZoneStatus | null>> {
  const zones = await findZones(db, domains.map(baseOfDomain));
  return new Map(
    domains.map((domain) => [
      domain,
      isReservedDomain(domain) ? null : describe(domain, zones.get(baseOfDomain(domain))),
    ]),
  );
}

function describe(domain: string, row: ZoneRow | undefined): ZoneStatus {
  const name = baseOfDomain(domain);
  const { state, reason } = row ?? { state: 'waiting', reason: null };
  if (state === 'served') return { state, detail: null, fix: null };
  if (state === 'refused') {
    return {
      state,
      detail: `The nameservers do not serve ${name}: it ${refusals[reason ?? ''] ?? 'cannot be delegated'}.`,
      fix: 'Prove the domain by its TXT record, and send it to the website hosting with records at your own nameservers.',
    };
  }
  if (state === 'waiting') return { state, detail: `The nameservers do not serve ${name} yet.`, fix: untilThen };
  return {
    state,
    detail: `The nameservers do not serve ${name} yet: they could not be updated. The next attempt is at ${new Date((row as ZoneRow).nextAttemptAt).toISOString()}.`,
    fix: `${untilThen} If it stays like this, tell the vendor. The TXT record proves the domain meanwhile.`,
  };
}
