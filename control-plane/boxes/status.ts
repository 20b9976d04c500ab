/**
 * The status of a box: its URLs, and the state of each domain with what its owner must do.
 */
import { type CheckUrl, isReservedDomain, recordOf } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { PowerDnsSettings } from '../dns/settings.ts';
import { describeZones, type ZoneStatus } from '../dns/status.ts';
import type { LicenseLimits } from '../license/limits.ts';
import { type DomainRow, listDomains } from './domains/store.ts';
import type { DomainLog } from './proof/outcome.ts';
import { checkAndStore } from './proof/schedule.ts';
import type { BoxStatus, DomainStatus } from './schemas.ts';
import type { Box } from './store.ts';

interface StatusServices {
  db: Knex;
  settings: {
    nameservers: readonly string[];
    nameserverLookup?: string | undefined;
    powerdns?: PowerDnsSettings | null | undefined;
    provesDomains: boolean;
  };
  checkBackend: CheckUrl;
  log: DomainLog;
}

/** Describes a box by what the last checks found. The names of its URLs are looked up. */
export async function describeBox(
  { db, settings, checkBackend }: StatusServices,
  { id, ...box }: Box,
): Promise<BoxStatus> {
  const rows = await listDomains(db, id);
  const urls = [box.backendUrl, ...(box.frontendUrl === null ? [] : [box.frontendUrl])];
  const backends = await Promise.all(
    urls.map(async (url) => {
      const { state, addresses, fault } = await checkBackend(url);
      return { url, state, addresses, error: fault };
    }),
  );
  const names = settings.powerdns ? rows.map(({ domain }) => domain) : [];
  const zones = await describeZones(db, names);
  const domains = rows.map((row) => describeDomain(row, settings.nameservers, zones.get(row.domain) ?? null));
  return { ...box, backends, domains };
}

/** Checks the domains of a box that need a proof, at once. @throws too_many_requests (429) */
export async function verifyBox(
  { db, settings, log, limits }: StatusServices & { limits: LicenseLimits },
  { id }: Box,
): Promise<void> {
  if (!settings.provesDomains) return;
  const rows = (await listDomains(db, id)).filter(isChecked);
  await checkAndStore(db, limits.countChecks(rows), settings, log);
}

function isChecked({ domain, provedBy }: DomainRow): boolean {
  return provedBy !== 'earlier' && !isReservedDomain(domain);
}

function describeDomain(row: DomainRow, nameservers: readonly string[], zone: ZoneStatus | null): DomainStatus {
  const { domain, state, provedBy, proof, findings, checkedAt, nextCheckAt, claimEndsAt, stopsAt } = row;
  return {
    domain,
    state: state as DomainStatus['state'],
    provedBy,
    record: proof === null ? null : recordOf(domain, proof),
    observedRecords: findings?.observedRecords ?? [],
    expectedNameservers: [...nameservers],
    observedNameservers: findings?.observedNameservers ?? [],
    errors: findings?.errors ?? [],
    zone,
    checkedAt,
    nextCheckAt,
    claimEndsAt,
    stopsAt,
  };
}
