/**
 * Brings one zone of the nameserver to what it must be. Every step may have been done before: work that a crash
 * interrupted is done again from its start.
 */
import { isPublicSuffix, isReservedDomain, withNamesAbove } from '@carton/runtime/service';
import type { PowerDns } from './powerdns.ts';
import { changesOf, recordsOf } from './records.ts';
import { undelegatedZone, type ZoneSettings } from './settings.ts';

/** Why a zone is refused: it would serve names that are not a customer's. */
export type Refusal = 'reserved' | 'public_suffix' | 'vendor';

/** Creates or corrects a zone. Returns why it is refused, and then removes it; null if it is served. */
export async function serveZone(api: PowerDns, zone: string, settings: ZoneSettings): Promise<Refusal | null> {
  const refusal = (await refusalOf(zone, settings.ownHosts)) ?? ((await isInVendorZone(api, zone)) ? 'vendor' : null);
  if (refusal !== null) {
    await removeZone(api, zone);
    return refusal;
  }
  const records = recordsOf(zone, settings);
  const found = await api.find(zone, true);
  if (found === null) {
    await api.create(zone, records);
    return null;
  }
  const changes = changesOf(records, found.records);
  if (changes.length > 0) await api.change(zone, changes);
  return null;
}

/** Removes a zone of the control plane, and no other one. */
export async function removeZone(api: PowerDns, zone: string): Promise<void> {
  const found = await api.find(zone, false);
  if (found?.isOwn) await api.remove(zone);
}

async function refusalOf(zone: string, ownHosts: readonly string[]): Promise<Refusal | null> {
  if (zone === undelegatedZone) return null;
  if (isReservedDomain(zone)) return 'reserved';
  if (await isPublicSuffix(zone)) return 'public_suffix';
  return ownHosts.some((host) => withNamesAbove(host).includes(zone)) ? 'vendor' : null;
}

/** Whether the nameserver has a zone at or above this name that is the vendor's own, whose names the zone would hide. */
async function isInVendorZone(api: PowerDns, zone: string): Promise<boolean> {
  for (const name of withNamesAbove(zone)) {
    const found = await api.find(name, false);
    if (found !== null && !found.isOwn) return true;
  }
  return false;
}
