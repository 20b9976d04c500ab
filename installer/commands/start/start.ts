/**
 * `start`: starts the installed box in the background, or in the foreground as a child of this command.
 */
import { completeRestore } from '../../backup/restore-database.ts';
import { hasSupervisor } from '../../box/control-socket.ts';
import type { Launch } from '../../box/environment.ts';
import { type BoxFolder, boxFolder, checkOwner } from '../../box/folder.ts';
import { boxUrl, waitUntilHealthy } from '../../box/health.ts';
import { toLaunch } from '../../box/launch.ts';
import { withLock } from '../../box/lock.ts';
import { isAlive } from '../../box/process-table.ts';
import { startBox } from '../../box/replace.ts';
import { findRunningBox, isInBackground, type RunningBox } from '../../box/running.ts';
import { checkSecrets, readSecrets, requireSettings } from '../../box/settings.ts';
import { endPausedSupervisor, stopForGood } from '../../box/stop-for-good.ts';
import { readStopSeconds } from '../../box/stopping.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import { checkPort } from '../../preflight.ts';
import { currentRelease } from '../../release/layout.ts';
import { findService } from '../../service/systemd.ts';
import type { ExitStatus } from '../../supervisor/exit-status.ts';
import { type SupervisedBox, supervise } from '../../supervisor/supervision.ts';
import { resumeUpgrade } from '../../upgrade/restore.ts';
import { warnOfIgnored, warnOfRoot } from '../support/risks.ts';

/** Options of `start`. */
export interface StartOptions {
  /** The box's folder. */
  dir: string;
  /** How long to wait until the box is healthy, in seconds; 120 by default. */
  healthSeconds?: number;
  /** Whether an interrupted upgrade by an earlier version of the command is undone by its backup, which has no seal. */
  allowUnverified?: boolean | undefined;
  /** After how long without a response a box in the foreground is killed and restarted, in seconds; 0 for never. */
  watchdogSeconds?: number;
  /** Stops a box in the foreground like SIGTERM; cancels the start of a box in the background. */
  signal?: AbortSignal;
}

/** A running box. */
export interface StartResult {
  dir: string;
  url: string;
  pid: number;
  release: string;
  /** Whether it was running before, so that nothing was done. */
  alreadyRunning: boolean;
}

/** A box running in the foreground. */
export interface ForegroundResult extends StartResult {
  /** Stops the box; the second call ends draining, the third kills the box. */
  stop(): void;
  /** Resolves to the exit status of the box; to 0 immediately for a box that was already running. */
  ended: Promise<ExitStatus>;
}

/**
 * Starts the box in the background and waits until it is healthy. A box that is running already only has to be healthy.
 * @throws Failure not_installed, busy, port_taken, box_not_healthy, interrupted
 */
export async function start(options: StartOptions, output: Output): Promise<StartResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'start', async () => {
    await resumeUpgrade(folder, output, options);
    const launch = await readyToLaunch(folder);
    const { healthSeconds = 120, signal } = options;
    const running = await findRunningBox(folder);
    if (running && (await staysUp(folder, running, launch, output, { seconds: healthSeconds, signal }))) {
      return describe(folder, launch, running, true);
    }
    const service = await findService(folder.root);
    if (service) {
      output.warn(`the service ${service} runs this box: start it with systemctl start ${service}`, { service });
    }
    if (!(await hasSupervisor(folder))) await checkPort(launch.host, launch.port);
    warnOfRoot(output);
    await warnOfIgnored(folder, launch, output);
    const stopSeconds = await readStopSeconds(folder);
    const box = await startBox(folder, launch, output, { healthSeconds, stopSeconds, signal });
    return describe(folder, launch, box, false);
  });
}

/**
 * Waits until a running box is healthy.
 * @returns false if it exits: it crashes at each start, and its supervisor restarts it
 * @throws Failure box_not_healthy if it runs on and is not healthy; interrupted
 */
async function staysUp(
  folder: BoxFolder,
  running: RunningBox,
  launch: Launch,
  output: Output,
  options: { seconds: number; signal?: AbortSignal },
): Promise<boolean> {
  try {
    await waitUntilHealthy(folder, running, boxUrl(launch), output, options);
    return true;
  } catch (error) {
    if (options.signal?.aborted || (await isAlive(running))) throw error;
    return false;
  }
}

/**
 * Starts the box as a child of this process, with the same output, and waits until it is healthy. The lock is released
 * then, so that other processes can run `stop` and `install` on this box. A box in the background, or one whose parent
 * has died, is stopped first; a box of another parent that runs keeps running.
 * @throws like `start`
 */
export async function startInForeground(options: StartOptions, output: Output): Promise<ForegroundResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'start', async () => {
    await resumeUpgrade(folder, output, options);
    const launch = await readyToLaunch(folder);
    const running = await findRunningBox(folder);
    if (running && !isInBackground(running)) {
      return { ...describe(folder, launch, running, true), stop() {}, ended: Promise.resolve(0) };
    }
    if (running) {
      const origin = running.orphaned ? 'whose parent has died' : 'which runs in the background';
      output.warn(`taking over the box (process ${running.pid}), ${origin}: stopping it first`);
      await stopForGood(folder, running, output);
    } else await endPausedSupervisor(folder, output);
    await checkPort(launch.host, launch.port);
    warnOfRoot(output);
    await warnOfIgnored(folder, launch, output);
    const { watchdogSeconds = 30 } = options;
    const supervised = await supervise(folder, launch, output, { watchdogSeconds });
    options.signal?.addEventListener('abort', () => supervised.stop());
    if (options.signal?.aborted) supervised.stop();
    await waitUntilHealthyOrStop(folder, supervised, launch, output, options);
    const { box, ended } = supervised;
    return { ...describe(folder, launch, box, false), stop: () => supervised.stop(), ended };
  });
}

/** A box that is stopped by the signal during its start is not a failure. */
async function waitUntilHealthyOrStop(
  folder: BoxFolder,
  supervised: SupervisedBox,
  launch: Launch,
  output: Output,
  options: StartOptions,
): Promise<void> {
  try {
    await waitUntilHealthy(folder, supervised.box, boxUrl(launch), output, { seconds: options.healthSeconds ?? 120 });
    supervised.markHealthy();
  } catch (error) {
    if (options.signal?.aborted) return;
    supervised.stop();
    await supervised.ended;
    throw error;
  }
}

/** Returns what `start` launches. @throws Failure not_installed, folder_unusable, usage */
export async function readyToLaunch(folder: BoxFolder): Promise<Launch> {
  const settings = await requireSettings(folder);
  const release = await currentRelease(folder);
  if (!release) throw new Failure('not_installed', `${folder.current} is missing`, 'Run install again');
  await checkOwner(folder);
  await checkSecrets(folder);
  if (!(await findRunningBox(folder))) await completeRestore(folder);
  return toLaunch(release, settings, await readSecrets(folder));
}

/** Returns the result for a box that runs. */
export function describe(folder: BoxFolder, launch: Launch, box: RunningBox, alreadyRunning: boolean): StartResult {
  return { dir: folder.root, url: boxUrl(launch), pid: box.pid, release: box.release, alreadyRunning };
}
