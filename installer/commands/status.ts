/**
 * `status`: what is installed, and whether it runs and answers. Reads only, and takes no lock.
 */
import { boxFolder, releaseFolder } from '../box/folder.ts';
import { boxUrl, fetchHealthStatus } from '../box/health.ts';
import { findRunningBox } from '../box/running.ts';
import { requireSettings } from '../box/settings.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { currentRelease } from '../release/layout.ts';
import { readLock } from '../release/lock-file.ts';

/** Options of `status`. */
export interface StatusOptions {
  /** The box's folder. */
  dir: string;
}

/** A box, looked at from outside. */
export interface StatusResult {
  dir: string;
  tier: string;
  customerId: string;
  url: string;
  /** The release `start` would run; absent when none is current. */
  release?: string;
  /** Version of each package of that release, by full name. */
  packages: Record<string, string>;
  running: boolean;
  pid?: number;
  /** The release that runs, which differs from `release` between an install without start and the next start. */
  runningRelease?: string;
  /** It answers /health with 200. */
  healthy: boolean;
  /** What /health answered; absent when nothing did. */
  healthStatus?: number;
}

/** @throws Failure not_installed */
export async function status(options: StatusOptions): Promise<StatusResult> {
  const folder = boxFolder(options.dir);
  const settings = await requireSettings(folder);
  const release = await currentRelease(folder);
  const lock = release ? await readLock(releaseFolder(folder, release)) : undefined;
  const running = await findRunningBox(folder);
  const url = boxUrl(settings);
  const healthStatus = running ? await fetchHealthStatus(url) : undefined;
  return {
    dir: folder.root,
    tier: settings.tier,
    customerId: settings.customerId,
    url,
    release,
    packages: Object.fromEntries(Object.entries(lock?.packages ?? {}).map(([name, { version }]) => [name, version])),
    running: running !== undefined,
    pid: running?.pid,
    runningRelease: running?.release,
    healthy: healthStatus === 200,
    healthStatus,
  };
}

/** How `status` ends: ok for a healthy box, and the word for what is missing otherwise. */
export function statusCode({ running, healthy }: Pick<StatusResult, 'running' | 'healthy'>): ExitCode {
  if (healthy) return 'ok';
  return running ? 'box_not_healthy' : 'not_running';
}

/** The exit status that goes with `statusCode`. */
export function statusExitCode(result: Pick<StatusResult, 'running' | 'healthy'>): number {
  return exitCodes[statusCode(result)].status;
}
