/**
 * The work on the zones of the nameserver: what there is to do is in the database, so that it outlives this process and a
 * nameserver that is away, and replicas share it.
 */
import type { Knex } from 'knex';
import type { Job } from '../schedule.ts';
import { openPowerDns, PowerDnsError, timeoutMilliseconds } from './powerdns.ts';
import { digestOf, type ZoneSettings } from './settings.ts';
import { endLease, finishZone, forgetZone, type LeasedZone, leaseZones, markZones, postponeZones } from './store.ts';
import { removeZone, serveZone } from './sync.ts';

/** Seconds after which a zone is compared again: it could have been changed, or lost, at the nameserver. */
const compareSeconds = 6 * 3600;

/** What is written to the log; pino's logger has these. */
export interface ZoneLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export function zoneJob(db: Knex, settings: ZoneSettings, log: ZoneLog, interval = 15_000): Job {
  return { complaint: 'zones could not be updated', interval, run: () => updateZones(db, settings, log) };
}

/** Does the work that is due, until nothing is due or the nameserver is away. */
export async function updateZones(db: Knex, settings: ZoneSettings, log: ZoneLog): Promise<void> {
  await markZones(db, digestOf(settings));
  for (;;) {
    const leased = await db.transaction(leaseZones);
    if (leased.length === 0) return;
    try {
      for (const zone of leased) {
        if (!(await updateZone(db, zone, settings, log))) return;
      }
    } finally {
      for (const zone of leased) await endLease(db, zone);
    }
  }
}

/** Updates one zone. Returns false if the nameserver is away, so that there is no use in trying others. */
async function updateZone(db: Knex, leased: LeasedZone, settings: ZoneSettings, log: ZoneLog): Promise<boolean> {
  const { zone, wanted, state } = leased;
  const api = openPowerDns(settings.powerdns, AbortSignal.timeout(timeoutMilliseconds));
  try {
    if (wanted) {
      const refusal = await serveZone(api, zone, settings);
      const after = refusal === null ? 'served' : 'refused';
      await finishZone(db, leased, { state: after, reason: refusal }, compareSeconds);
      if (refusal !== null && state !== after) log.warn({ zone, refusal }, 'zone is refused');
      if (refusal === null && state !== after) log.info({ zone }, 'zone is served');
    } else {
      await removeZone(api, zone);
      await forgetZone(db, leased);
      log.info({ zone }, 'zone is removed');
    }
    return true;
  } catch (error) {
    if (!(error instanceof PowerDnsError)) throw error;
    const { message, isGeneral } = error;
    log.warn({ zone, reason: message }, 'zone could not be updated; it is tried again');
    await postponeZones(db, leased, { allDue: isGeneral, reason: message });
    return !isGeneral;
  }
}
