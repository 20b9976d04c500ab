/**
 * `install`: from a licence key to a running box, and later to another release or tier. Steps: activate, resolve, pull
 * and verify, lay out, start (the box migrates before it listens), make current.
 */
import { type BoxFolder, boxFolder, checkFolderUsable, checkOwner, exists, releaseFolder } from '../box/folder.ts';
import { boxUrl } from '../box/health.ts';
import { readInstallationId } from '../box/installation.ts';
import { toLaunch } from '../box/launch.ts';
import { withLock } from '../box/lock.ts';
import { replaceBox, startBox, type WaitOptions } from '../box/replace.ts';
import { findRunningBox, type RunningBox } from '../box/running.ts';
import {
  type BoxSecrets,
  type BoxSettings,
  checkSecrets,
  readSecrets,
  readSettings,
  writeSettings,
} from '../box/settings.ts';
import { stopForGood } from '../box/stop-for-good.ts';
import { readStopSeconds } from '../box/stopping.ts';
import { type Activation, activate, channelOf, defaultChannel, readRelease } from '../control-plane.ts';
import { megabytes, type Output } from '../output/output.ts';
import { checkDisk, checkExecutable, checkPath, checkPort, spareBytes } from '../preflight.ts';
import { createCredentials } from '../pull/credentials.ts';
import builtIn from '../pull/package-keys.json' with { type: 'json' };
import { verifyReleaseProvenance } from '../pull/provenance.ts';
import { planPull, pullPackages } from '../pull/pull.ts';
import { openRegistry } from '../pull/registry.ts';
import { type PackageKey, verifyRelease } from '../pull/release-signature.ts';
import { resolvePackages } from '../pull/resolve.ts';
import { rejectYanked } from '../pull/yanked.ts';
import {
  createPartial,
  currentRelease,
  finishRelease,
  isComplete,
  removeOldReleases,
  removePartials,
  switchCurrent,
} from '../release/layout.ts';
import { createLock, type ReleaseLock, readLock, releaseId } from '../release/lock-file.ts';
import { type Cleanup, prepareCleanup } from './install-cleanup.ts';
import { chooseKey, chooseSecrets, chooseSettings, type InstallOptions, isSameLaunch } from './install-options.ts';
import { warnOfRoot, warnOfUnencrypted } from './risks.ts';

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
  const before = {
    settings: await readSettings(folder),
    secrets: await readSecrets(folder),
    current: await currentRelease(folder),
    running: await findRunningBox(folder),
  };
  const address = chooseSettings(options, before.settings);
  const key = await chooseKey(options, before.secrets);
  const secrets = chooseSecrets(options, before, key, output);
  if (options.start !== false) await checkPortUnlessOurs(before, address);

  warnOfUnencrypted(address.controlPlaneUrl, output);
  const activation = await cleanup.activating((installationId) =>
    activate(address.controlPlaneUrl, { key, installationId }, options.signal),
  );
  output.info('activated', `licence activated: ${activation.tier} tier, ${activation.packages.length} packages`, {
    tier: activation.tier,
    customerId: activation.customerId,
    packages: activation.packages.length,
  });
  warnOfRoot(output);
  const { tier, customerId, registryUrl } = activation;
  const channel = channelOf(activation.token);
  const deployment = before.settings?.deployment;
  const settings: BoxSettings = {
    ...address,
    registryUrl,
    tier,
    customerId,
    channel,
    ...(deployment && { deployment }),
  };

  const lock = await layOutRelease(folder, { activation, settings, secrets, key }, options, output, cleanup);
  const plan: Plan = { folder, before, settings, secrets, lock, id: releaseId(lock) };
  return finish(plan, options, output);
}

/** Resolves, pulls and lays out the release. @returns its lock */
async function layOutRelease(
  folder: BoxFolder,
  licence: { activation: Activation; settings: BoxSettings; secrets: BoxSecrets; key: string },
  options: InstallOptions,
  output: Output,
  cleanup: Cleanup,
): Promise<ReleaseLock> {
  const { activation, settings, key } = licence;
  const installationId = await readInstallationId(folder);
  const ownDatabase = licence.secrets.DATABASE_URL !== undefined;
  const renew = () => activate(settings.controlPlaneUrl, { key, installationId }, options.signal);
  const registry = openRegistry(createCredentials(activation, renew), output, options.signal, options.patience);
  const release = await readRelease(settings.controlPlaneUrl, settings.channel, options.signal);
  const keys: readonly PackageKey[] = options.packageKeys ?? builtIn.keys;
  if (keys.length > 0) verifyRelease(release, settings.channel ?? defaultChannel, keys, Date.now());
  if (keys.length > 0) await verifyReleaseProvenance(registry, release, keys, Date.now());
  const packages = await resolvePackages(registry, activation.packages, release, { ownDatabase });
  const current = await currentRelease(folder);
  const installed = current === undefined ? undefined : await readLock(releaseFolder(folder, current));
  rejectYanked(packages, installed, options.allowYanked ?? false, output);
  const title = `release ${release.version}${keys.length > 0 ? '' : ' (unverified: this command has no keys of the vendor)'}`;
  const lock = createLock(activation.tier, packages);
  const id = releaseId(lock);
  if (await isComplete(folder, id, lock)) {
    output.info('resolved', `${title}: ${packages.length} packages, all present`, {
      packages: packages.length,
      version: release.version,
      verified: keys.length > 0,
      release: id,
    });
    return lock;
  }

  const plan = await planPull(folder, packages);
  output.info(
    'resolved',
    `${title}: ${packages.length} packages, ${plan.packagesToPull} to pull${plan.bytesToPull > 0 ? ` (${megabytes(plan.bytesToPull)})` : ''}`,
    {
      version: release.version,
      verified: keys.length > 0,
      packages: packages.length,
      toPull: plan.packagesToPull,
      bytes: plan.bytesToPull,
      release: id,
    },
  );
  const spare = options.spareBytes ?? (ownDatabase ? spareBytes.ownDatabase : spareBytes.embeddedDatabase);
  await checkDisk(folder, plan.bytesToPull, spare);
  await cleanup.createBoxFolders(id);
  await pullPackages(registry, plan, await createPartial(folder, id), output, options.signal);
  await finishRelease(folder, id, lock);
  output.info('laid_out', `release ${id} verified and laid out`, { release: id });
  return lock;
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

  let box = running;
  let restarted = false;
  if (options.start !== false && !(unchanged && running?.release === id)) {
    box = await startRelease(plan, options, output);
    restarted = true;
  }
  if (before.current !== id) await switchCurrent(folder, id);
  await writeSettings(folder, settings, secrets);
  await removePartials(folder);
  const kept = [id, before.current, box?.release, before.running?.release].filter((release) => release !== undefined);
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

/** Starts the release, replacing the running box if there is one. */
async function startRelease(plan: Plan, options: InstallOptions, output: Output): Promise<RunningBox> {
  const { folder, before, settings, secrets, id } = plan;
  const launch = toLaunch(id, settings, secrets);
  const waitOptions: WaitOptions = {
    healthSeconds: options.healthSeconds ?? 120,
    stopSeconds: options.stopSeconds ?? (await readStopSeconds(folder)),
    signal: options.signal,
    smokeCheck: true,
  };
  let box: RunningBox;
  if (before.running && before.settings) {
    const old = toLaunch(before.running.release, before.settings, before.secrets);
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

async function checkPortUnlessOurs(before: Plan['before'], address: { host: string; port: number }): Promise<void> {
  const { running, settings } = before;
  // The running box uses the port itself. Without settings its port is unknown, and a conflict shows at the start.
  if (running && (!settings || (settings.port === address.port && settings.host === address.host))) return;
  await checkPort(address.host, address.port);
}
