/**
 * `install`: from a licence key to a running box, and later to another release or tier. Steps: activate, resolve, pull
 * and verify, lay out, start (the box migrates before it listens), make current.
 */
import { provideBackupKey } from '../../backup/key.ts';
import { hasSupervisor } from '../../box/control-socket.ts';
import { type BoxFolder, boxFolder, checkFolderUsable, checkOwner, exists, releaseFolder } from '../../box/folder.ts';
import { boxUrl } from '../../box/health.ts';
import { toLaunch } from '../../box/launch.ts';
import { withLock } from '../../box/lock.ts';
import { replaceBox, startBox, type WaitOptions } from '../../box/replace.ts';
import { findRunningBox, type RunningBox } from '../../box/running.ts';
import {
  type BoxSecrets,
  type BoxSettings,
  checkSecrets,
  readSecrets,
  readSettings,
  writeSettings,
} from '../../box/settings.ts';
import { stopForGood } from '../../box/stop-for-good.ts';
import { readStopSeconds } from '../../box/stopping.ts';
import { activate } from '../../control-plane.ts';
import { asFailure } from '../../failure.ts';
import { megabytes, type Output } from '../../output/output.ts';
import { checkDisk, checkExecutable, checkPath, checkPort, spareBytesOf } from '../../preflight.ts';
import { planPull, pullPackages } from '../../pull/pull.ts';
import { rejectYanked } from '../../pull/yanked.ts';
import {
  createPartial,
  currentRelease,
  finishRelease,
  flushRelease,
  isComplete,
  removePartials,
  switchCurrent,
} from '../../release/layout.ts';
import { type ReleaseLock, readLock } from '../../release/lock-file.ts';
import { removeOldReleases } from '../../release/old-releases.ts';
import { guardUpgrade, type UpgradeGuard } from '../../upgrade/guard.ts';
import { planBackup } from '../../upgrade/pending.ts';
import { pruneUpgrades, readRecords } from '../../upgrade/record.ts';
import { resumeUpgrade } from '../../upgrade/restore.ts';
import {
  chooseRelease,
  type ResolvedRelease,
  type ResolveInput,
  rejectOlder,
  resolveRelease,
} from '../support/resolve-release.ts';
import { warnOfDatabaseRestart, warnOfIgnored, warnOfRoot, warnOfUnencrypted } from '../support/risks.ts';
import { type Cleanup, prepareCleanup } from './cleanup.ts';
import { chooseKey, chooseSecrets, chooseSettings, type InstallOptions, isSameLaunch } from './options.ts';

/** The result of an install. */
export interface InstallResult {
  dir: string;
  tier: string;
  customerId: string;
  /** Id of the release that is now current. */
  release: string;
  /** Version of each package, by full name. */
  packages: Record<string, string>;
  /** Whether anything was pulled, switched or restarted. */
  changed: boolean;
  running: boolean;
  pid?: number;
  /** URL of the box, such as `http://127.0.0.1:3001`. */
  url: string;
}

/** The box before the install, and the box to be installed. */
interface Plan {
  folder: BoxFolder;
  before: { settings?: BoxSettings; secrets: Partial<BoxSecrets>; current?: string; running?: RunningBox };
  settings: BoxSettings;
  secrets: BoxSecrets;
  lock: ReleaseLock;
  id: string;
}

/**
 * Installs a box, or updates the installed one to the newest release and the tier of its licence.
 * @throws Failure with any exit code except `not_running` and `not_installed`. After a failure the previous box runs
 * again; a failed first install leaves only pulled packages from which the next one resumes.
 */
export async function install(options: InstallOptions, output: Output): Promise<InstallResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'install', async () => {
    await checkFolderUsable(folder);
    await checkOwner(folder);
    if (!(await exists(folder.settings))) await checkPath(folder);
    await checkExecutable(folder);
    const cleanup = await prepareCleanup(folder);
    try {
      return await installLocked(folder, options, output, cleanup);
    } catch (error) {
      await cleanup.afterFailure(error).catch(() => undefined); // the first error is the one to report
      throw error;
    }
  });
}

async function installLocked(
  folder: BoxFolder,
  options: InstallOptions,
  output: Output,
  cleanup: Cleanup,
): Promise<InstallResult> {
  await checkSecrets(folder);
  await resumeUpgrade(folder, output);
  const before = {
    settings: await readSettings(folder),
    secrets: await readSecrets(folder),
    current: await currentRelease(folder),
    running: await findRunningBox(folder),
  };
  const address = chooseSettings(options, before.settings);
  const key = await chooseKey(options, before.secrets);
  const secrets = chooseSecrets(options, before, key, output);
  if (options.start !== false) await checkPortUnlessOurs(folder, before, address);

  warnOfUnencrypted(address.controlPlaneUrl, output);
  const activation = await cleanup.activating((installationId) =>
    activate(address.controlPlaneUrl, { key, installationId }, options.signal, output),
  );
  output.info('activated', `licence activated: ${activation.tier} tier, ${activation.packages.length} packages`, {
    tier: activation.tier,
    customerId: activation.customerId,
    packages: activation.packages.length,
  });
  warnOfRoot(output);
  const { tier, customerId, registryUrl } = activation;
  const deployment = before.settings?.deployment;
  const chosen: BoxSettings = {
    ...address,
    registryUrl,
    tier,
    customerId,
    ...chooseRelease(options, before.settings, activation.token),
    ...(deployment && { deployment }),
  };
  const licence = { activation, settings: chosen, secrets, key, before: before.settings };
  const { lock, id, release } = await layOutRelease(folder, licence, options, output, cleanup);
  const settings = { ...chosen, version: release.version };
  return finish({ folder, before, settings, secrets, lock, id }, options, output);
}

/** Resolves, pulls and lays out the release. */
async function layOutRelease(
  folder: BoxFolder,
  licence: ResolveInput & { before: BoxSettings | undefined },
  options: InstallOptions,
  output: Output,
  cleanup: Cleanup,
): Promise<ResolvedRelease> {
  const resolved = await resolveRelease(folder, licence, options, output);
  const { registry, release, packages, lock, id, installed, verified } = resolved;
  rejectOlder(release, licence.before?.version);
  rejectYanked(packages, installed, options.allowYanked ?? false, output);
  const title = `release ${release.version}${verified ? '' : ' (unverified: this command has no keys of the vendor)'}`;
  const facts = { packages: packages.length, version: release.version, verified, release: id };
  if (await isComplete(folder, id, lock)) {
    output.info('resolved', `${title}: ${packages.length} packages, all present`, facts);
    return resolved;
  }

  const plan = await planPull(folder, packages);
  output.info(
    'resolved',
    `${title}: ${packages.length} packages, ${plan.packagesToPull} to pull${plan.bytesToPull > 0 ? ` (${megabytes(plan.bytesToPull)})` : ''}`,
    { ...facts, toPull: plan.packagesToPull, bytes: plan.bytesToPull },
  );
  const { backupBytes } = await planBackup(folder, packages, options);
  const spare = options.spareBytes ?? spareBytesOf(licence.secrets);
  await checkDisk(folder, { pull: plan.bytesToPull, backup: backupBytes }, spare);
  await cleanup.createBoxFolders(id);
  await pullPackages(registry, plan, await createPartial(folder, id), output, options.signal);
  await finishRelease(folder, id, lock);
  output.info('laid_out', `release ${id} verified and laid out`, { release: id });
  return resolved;
}

/** Starts or replaces the box if anything changed, then makes the release current. */
async function finish(plan: Plan, options: InstallOptions, output: Output): Promise<InstallResult> {
  const { folder, before, settings, secrets, id } = plan;
  const { running } = before;
  const launch = toLaunch(id, settings, secrets);
  const unchanged =
    before.current === id &&
    before.settings !== undefined &&
    isSameLaunch(toLaunch(id, before.settings, before.secrets), launch);

  const flushing = before.current === id ? Promise.resolve() : flushRelease(folder, id);
  flushing.catch(() => undefined); // reported where it is awaited
  // A first box starts meanwhile, which takes as long. A box that may have sold is replaced by what is on disk.
  if (before.current) await flushing;

  const start = options.start !== false;
  const guard = await guardOf(plan, options, output);
  let box = running;
  let restarted = false;
  if (start && !(unchanged && running?.release === id)) {
    try {
      box = await startRelease(plan, guard, options, output);
    } catch (error) {
      // A box that could not be brought back keeps its backup.
      if (asFailure(error).facts.restored !== false) await guard?.abandon();
      throw error;
    }
    restarted = true;
  }
  await flushing;
  if (before.current !== id) await switchCurrent(folder, id);
  await provideBackupKey(folder, output, { shown: true });
  await writeSettings(folder, settings, secrets);
  // Without an upgrade, one that was killed in its last step may have left more than the last two backups.
  await (guard ? guard.complete() : pruneUpgrades(folder));
  await removePartials(folder);
  const undoable = (await readRecords(folder)).flatMap(({ from, backup }) => (backup ? [from.release] : []));
  const kept = [id, before.current, box?.release, before.running?.release, ...undoable].filter(
    (release) => release !== undefined,
  );
  await removeOldReleases(folder, new Set(kept));

  const changed = restarted || !unchanged;
  const result: InstallResult = {
    dir: folder.root,
    tier: settings.tier,
    customerId: settings.customerId,
    release: id,
    packages: Object.fromEntries(Object.entries(plan.lock.packages).map(([name, { version }]) => [name, version])),
    changed,
    running: box !== undefined,
    pid: box?.pid,
    url: boxUrl(settings),
  };
  if (box && !restarted && box.release !== id)
    output.warn('the box still runs the previous release: stop and start it');
  return result;
}

/** The guard of an upgrade; undefined for a first install, and where the release stays. */
async function guardOf(plan: Plan, options: InstallOptions, output: Output): Promise<UpgradeGuard | undefined> {
  const { folder, before, settings, secrets, lock, id } = plan;
  if (!before.settings || !before.current || before.current === id) return undefined;
  const installed = await readLock(releaseFolder(folder, before.current));
  const { tier, version } = before.settings;
  const from = { release: before.current, version, tier: installed?.tier ?? tier };
  const to = { release: id, version: settings.version, tier: lock.tier };
  const { ownBackup = false, signal } = options;
  const upgrade = { folder, from, to, settings, secrets, ownBackup, signal };
  return guardUpgrade(upgrade, { start: options.start !== false }, output);
}

/** Starts the release, replacing the running box if there is one. */
async function startRelease(
  plan: Plan,
  guard: UpgradeGuard | undefined,
  options: InstallOptions,
  output: Output,
): Promise<RunningBox> {
  const { folder, before, settings, secrets, id } = plan;
  const launch = toLaunch(id, settings, secrets);
  const waitOptions: WaitOptions = {
    healthSeconds: options.healthSeconds ?? 120,
    stopSeconds: options.stopSeconds ?? (await readStopSeconds(folder)),
    signal: options.signal,
    smokeCheck: true,
  };
  await warnOfIgnored(folder, launch, output);
  let box: RunningBox;
  const old = before.running && before.settings && toLaunch(before.running.release, before.settings, before.secrets);
  if (guard?.closed) {
    box = await guard.exchange({ running: before.running, old, new: launch }, waitOptions);
  } else if (before.running && old) {
    warnOfDatabaseRestart(await readLock(releaseFolder(folder, old.release)), plan.lock, output);
    box = await replaceBox(folder, before.running, { old, new: launch }, output, waitOptions);
  } else {
    // A running box without settings was started by an install that was killed in its last step: it cannot be restored.
    if (before.running) await stopForGood(folder, before.running, output, { timeoutSeconds: waitOptions.stopSeconds });
    box = await startBox(folder, launch, output, waitOptions);
  }
  output.info('healthy', `the box is running at ${boxUrl(settings)}`, {
    url: boxUrl(settings),
    pid: box.pid,
    release: id,
  });
  return box;
}

async function checkPortUnlessOurs(
  folder: BoxFolder,
  before: Plan['before'],
  address: { host: string; port: number },
): Promise<void> {
  const { running, settings } = before;
  // The running box uses the port itself. Without settings its port is unknown, and a conflict shows at the start.
  if (running && (!settings || (settings.port === address.port && settings.host === address.host))) return;
  // The supervisor of a box that has crashed holds the port, and ends when a box is started.
  if (settings?.port === address.port && (await hasSupervisor(folder))) return;
  await checkPort(address.host, address.port);
}
