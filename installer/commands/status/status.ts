/**
 * `status`: what is installed, and whether the box is running and healthy. Changes nothing and takes no lock.
 */
import { type Archiving, readArchiving } from '../../backup/archiving.ts';
import { findOrphanedDatabase } from '../../backup/orphan.ts';
import { hasSupervisor } from '../../box/control-socket.ts';
import { boxFolder, releaseFolder } from '../../box/folder.ts';
import { boxUrl, fetchHealthStatus } from '../../box/health.ts';
import { findFollowers, findRunningBox } from '../../box/running.ts';
import { requireSettings } from '../../box/settings.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { currentRelease } from '../../release/layout.ts';
import { readLock } from '../../release/lock-file.ts';
import { findKeptMigrations, type KeptMigrations } from '../../upgrade/kept-migrations.ts';
import { measureUpgradeBackups, readJournal } from '../../upgrade/record.ts';

/** Options of `status`. */
export interface StatusOptions {
  /** The box's folder. */
  dir: string;
}

/** The state of a box. */
export interface StatusResult {
  dir: string;
  tier: string;
  customerId: string;
  url: string;
  /** The current release, which `start` runs; absent if there is none. */
  release?: string;
  /** The vendor's version of it; absent until an install has recorded it. */
  version?: string;
  /** The version that the box stays at. */
  pinnedVersion?: string;
  /** The backups that were taken before upgrades. */
  upgradeBackups: { count: number; bytes: number };
  /** What the operator's own database keeps of releases that failed their check. */
  keptMigrations?: KeptMigrations[];
  /** An upgrade or rollback that was interrupted: the next start completes or undoes it. */
  interrupted?: 'upgrade' | 'rollback';
  /** Version of each package of that release, by full name. */
  packages: Record<string, string>;
  running: boolean;
  /** Whether the box has crashed and its supervisor restarts it. */
  restarting?: true;
  /** The process of the box; of several workers, the leader. */
  pid?: number;
  /** The PostgreSQL of a box that was killed with its supervisor. */
  databasePid?: number;
  /** How many processes serve requests; absent if the box is not running. */
  workers?: number;
  /** The running release: differs from `release` after an install without start, until the next start. */
  runningRelease?: string;
  /** Whether /health responds with 200. */
  healthy: boolean;
  /** Status of the response of /health; absent without a response. */
  healthStatus?: number;
  /** The archive of the write-ahead log; absent if the box has none, or its database does not run. */
  archiving?: Archiving;
}

/** @throws Failure not_installed */
export async function status(options: StatusOptions): Promise<StatusResult> {
  const folder = boxFolder(options.dir);
  const settings = await requireSettings(folder);
  const release = await currentRelease(folder);
  const lock = release ? await readLock(releaseFolder(folder, release)) : undefined;
  const running = await findRunningBox(folder);
  const url = boxUrl(settings);
  const journal = await readJournal(folder);
  const kept = await findKeptMigrations(folder);
  const healthStatus = running ? await fetchHealthStatus(url) : undefined;
  const archiving = running ? await readArchiving(folder) : undefined;
  return {
    dir: folder.root,
    tier: settings.tier,
    customerId: settings.customerId,
    url,
    release,
    ...(settings.version && { version: settings.version }),
    ...(settings.pinnedVersion && { pinnedVersion: settings.pinnedVersion }),
    upgradeBackups: await measureUpgradeBackups(folder),
    ...(kept.length > 0 && { keptMigrations: kept }),
    ...(journal && { interrupted: journal.kind }),
    packages: Object.fromEntries(Object.entries(lock?.packages ?? {}).map(([name, { version }]) => [name, version])),
    running: running !== undefined,
    ...(!running && (await hasSupervisor(folder)) && { restarting: true as const }),
    pid: running?.pid,
    ...(!running && { databasePid: (await findOrphanedDatabase(folder))?.pid }),
    ...(running && { workers: 1 + (await findFollowers(folder, running)).length }),
    runningRelease: running?.release,
    healthy: healthStatus === 200,
    healthStatus,
    ...(archiving && { archiving }),
  };
}

/** Returns the exit code of `status`: `ok` for a healthy box. */
export function statusCode({ running, healthy }: Pick<StatusResult, 'running' | 'healthy'>): ExitCode {
  if (healthy) return 'ok';
  return running ? 'box_not_healthy' : 'not_running';
}

/** Returns the exit status of `statusCode`. */
export function statusExitCode(result: Pick<StatusResult, 'running' | 'healthy'>): number {
  return exitCodes[statusCode(result)].status;
}
