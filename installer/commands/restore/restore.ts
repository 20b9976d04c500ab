/**
 * `restore`: restores a backup into a folder, with the release that it was taken with. The box does not run afterwards.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { requireOwnArchive } from '../../backup/archive-access.ts';
import { databaseHome } from '../../backup/home.ts';
import { isNameOfBackup, openBackup, openPlace } from '../../backup/open-place.ts';
import type { PlacedBackup } from '../../backup/place.ts';
import {
  checkReplaced,
  finishRestore,
  keepInstallation,
  type RestoredBox,
  type RestoredSettings,
  restoreBox,
} from '../../backup/restore.ts';
import { isBucketAddress } from '../../backup/s3/address.ts';
import { adviseBackup, type Recovery } from '../../backup/timelines.ts';
import { hasSupervisor } from '../../box/control-socket.ts';
import { type BoxFolder, boxFolder, checkOwner } from '../../box/folder.ts';
import { withLock } from '../../box/lock.ts';
import { findRunningBox } from '../../box/running.ts';
import { type BoxSettings, readSettings } from '../../box/settings.ts';
import { activate, defaultChannel, readRelease } from '../../control-plane.ts';
import { asFailure, Failure } from '../../failure.ts';
import { counted, type Output } from '../../output/output.ts';
import { createCredentials } from '../../pull/credentials.ts';
import { mapConcurrently } from '../../pull/map-concurrently.ts';
import builtIn from '../../pull/package-keys.json' with { type: 'json' };
import { planPull, pullPackages } from '../../pull/pull.ts';
import { openRegistry } from '../../pull/registry.ts';
import { type PackageKey, verifyRelease } from '../../pull/release-signature.ts';
import { createPartial, finishRelease, flushRelease, isComplete, switchCurrent } from '../../release/layout.ts';
import { type ReleaseLock, releaseId } from '../../release/lock-file.ts';
import { embeddedDatabasePrefix, vendor } from '../../vendor.ts';
import { placeOptions, readPassphrase } from '../backup/backup.ts';
import { type BackupKeyOptions, verificationOf } from '../backup/key.ts';

export interface RestoreOptions extends BackupKeyOptions {
  dir: string;
  /** Path of the backup, or its address in a bucket. */
  path: string;
  passphraseFile?: string | undefined;
  replace?: boolean | undefined;
  /** The moment to restore, if the box archives its write-ahead log: ISO 8601. */
  toTime?: string | undefined;
  /** Folder of that archive; that of the backup's settings by default. */
  archive?: string | undefined;
  databaseUrl?: string | undefined;
  /** The licence key that pulls the release; that in the backup by default. */
  licenseKey?: string | undefined;
  /** URL of the control plane that names the registry; that of the box in the folder, or in the backup, by default. */
  controlPlaneUrl?: string | undefined;
  /** The vendor's public keys; those of this build by default. */
  packageKeys?: readonly PackageKey[];
  signal?: AbortSignal | undefined;
}

export interface RestoreResult extends RestoredBox {
  dir: string;
}

/** @throws Failure usage, integrity_failed, disk_full, busy, those of a pull, interrupted: an existing box is as it was */
export async function restore(options: RestoreOptions, output: Output): Promise<RestoreResult> {
  const folder = boxFolder(options.dir);
  const passphrase = await readPassphrase(options.passphraseFile);
  const { path, replace = false, databaseUrl, signal } = options;
  return withLock(folder.root, 'restore', async () => {
    await checkOwner(folder);
    await checkReplaced(folder, replace);
    const isInUse = (await findRunningBox(folder)) !== undefined || (await hasSupervisor(folder));
    if (isInUse) throw new Failure('busy', 'the box runs', `Run ${vendor} stop first`);
    const verification = await verificationOf(folder, options, output);
    const backup = await findBackup(folder, path, signal);
    await mkdir(folder.root, { recursive: true });
    let release = '';
    let installation: string | undefined;
    const recovery = options.toTime === undefined ? undefined : await recoveryTo(folder, options);
    const restored = await restoreBox(
      folder,
      { ...backup, passphrase, verification, replace, databaseUrl, recovery, output, signal },
      async (settings) => {
        await chooseControlPlane(folder, settings, options, output);
        installation = settings.head.installation;
        if (recovery) {
          completeRecovery(recovery, settings, options);
          await requireOwnArchive(recovery.archive, verification);
        }
        release = await provideRelease(folder, settings, options, output);
        return release;
      },
    ).catch(async (error) => {
      const { code, message, facts } = asFailure(error);
      if (!recovery || facts.isBranch !== true) throw error;
      throw new Failure(code, message, await adviseBackup(backup.place, recovery, installation));
    });
    await keepInstallation(folder, restored.head);
    await switchCurrent(folder, release);
    await finishRestore(folder);
    return { dir: folder.root, ...restored };
  });
}

/** @throws Failure usage for a bucket without the name of a backup: the message has the newest one */
async function findBackup(folder: BoxFolder, path: string, signal: AbortSignal | undefined): Promise<PlacedBackup> {
  const options = await placeOptions(folder, signal);
  if (!isBucketAddress(path) || isNameOfBackup(path)) return openBackup(path, options);
  const place = await openPlace(path, options);
  const newest = (await place.entries()).at(-1);
  throw new Failure(
    'usage',
    `${place.address} is no backup${newest ? `; the newest one there is ${place.addressOf(newest.file)}` : ''}`,
    `Specify the address of a backup; ${vendor} backup list --to ${place.address} lists them`,
  );
}

/** Returns a recovery up to a time, without its archive. @throws Failure usage if it is no time in the past */
async function recoveryTo(folder: BoxFolder, { toTime = '' }: RestoreOptions): Promise<Recovery> {
  const time = new Date(toTime);
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(toTime)) {
    throw new Failure('usage', `${toTime} is not a time`, 'Use ISO 8601, such as 2026-11-25T14:30:00Z');
  }
  if (time.getTime() > Date.now()) throw new Failure('usage', `${toTime} is in the future`, 'Use an earlier time');
  const { data } = await databaseHome(folder);
  return { time: time.toISOString(), archive: '', last: join(data, 'pg_wal') };
}

/** Adds the archive, which the settings in the backup name. */
function completeRecovery(recovery: Recovery, { head, secrets }: RestoredSettings, options: RestoreOptions): void {
  const archive = options.archive ?? parseEnv(secrets).WAL_ARCHIVE_FOLDER;
  if (!archive) {
    throw new Failure(
      'usage',
      'the box of this backup does not archive its write-ahead log',
      'Leave out --to-time, or name the folder of the archive with --archive',
    );
  }
  if (Date.parse(options.toTime ?? '') < Date.parse(head.time)) {
    throw new Failure('usage', `the backup was taken later, at ${head.time}`, 'Use an earlier backup');
  }
  recovery.archive = archive;
}

/**
 * The control plane that is asked for the release, and that the box has afterwards. One that an unverified backup names may be
 * anybody's: that of the box in the folder goes before it.
 */
async function chooseControlPlane(
  folder: BoxFolder,
  { settings, verifiedBy }: RestoredSettings,
  { controlPlaneUrl }: RestoreOptions,
  output: Output,
): Promise<void> {
  const own = verifiedBy === 'nothing' ? (await readSettings(folder))?.controlPlaneUrl : undefined;
  const chosen = controlPlaneUrl ?? own;
  if (chosen !== undefined) settings.controlPlaneUrl = chosen;
  else if (verifiedBy === 'nothing') {
    const message = `the control plane ${settings.controlPlaneUrl} is the one that the unverified backup names`;
    output.warn(`${message}: pass yours with --control-plane`, { risk: 'unverified' });
  }
}

/**
 * Requires that the vendor has signed the release that an unverified backup names: its own lock file says nothing.
 * @throws Failure integrity_failed
 */
async function requireSigned(
  { packages }: ReleaseLock,
  { controlPlaneUrl, version, channel = defaultChannel }: BoxSettings,
  { packageKeys = builtIn.keys, signal }: RestoreOptions,
): Promise<void> {
  if (packageKeys.length === 0) return;
  const release = version === undefined ? undefined : await readRelease(controlPlaneUrl, channel, signal, version);
  if (release) verifyRelease(release, channel, packageKeys, Date.now());
  const signed = new Map(release?.packages.map((each) => [each.name, each.integrity]));
  const other = Object.entries(packages).find(([name, { integrity }]) => signed.get(name) !== integrity)?.[0];
  if (other === undefined) return;
  const message = `the release of the backup is none that the vendor has signed (${other})`;
  throw new Failure('integrity_failed', message, 'Nothing was changed. Use a verified backup');
}

/** Pulls the release of the backup, or finds it in the folder. @returns its id */
async function provideRelease(
  folder: BoxFolder,
  { lock: text, settings, secrets, head, verifiedBy }: RestoredSettings,
  options: RestoreOptions,
  output: Output,
): Promise<string> {
  const lock = JSON.parse(text) as ReleaseLock;
  const id = releaseId(lock);
  checkPlatform(lock);
  if (await isComplete(folder, id, lock)) return id;
  const { licenseKey, signal } = options;
  if (verifiedBy === 'nothing') await requireSigned(lock, settings, options);
  const key = licenseKey ?? parseEnv(secrets).LICENSE_KEY;
  if (!key) throw new Failure('usage', 'the backup has no licence key', 'Pass one with --key-file');
  const request = { key, installationId: head.installation };
  const renew = () => activate(settings.controlPlaneUrl, request, signal, output);
  const registry = openRegistry(createCredentials(await renew(), renew), output, signal);
  const packages = await mapConcurrently(Object.entries(lock.packages), 8, async ([name, { version, integrity }]) => {
    const manifest = await registry.readManifest(name, version);
    if (manifest.integrity !== integrity) {
      throw new Failure(
        'integrity_failed',
        `${name} ${version} of the registry differs from that of the backup`,
        'Nothing was changed. Contact the vendor',
      );
    }
    return { ...manifest, yankedFor: manifest.deprecated, migrations: [] };
  });
  const plan = await planPull(folder, packages);
  output.info('resolved', `release ${id} of the backup: ${counted(plan.packagesToPull, 'package')} to pull`, {
    release: id,
  });
  await pullPackages(registry, plan, await createPartial(folder, id), output, signal);
  await finishRelease(folder, id, lock);
  await flushRelease(folder, id);
  return id;
}

/** The data of an embedded database belongs to the platform it was written on. */
function checkPlatform({ packages }: ReleaseLock): void {
  const own = `${embeddedDatabasePrefix}${process.platform}-${process.arch}`;
  const names = Object.keys(packages).filter((name) => name.startsWith(embeddedDatabasePrefix));
  if (names.length === 0 || names.includes(own)) return;
  throw new Failure(
    'usage',
    `the backup is of a machine with another processor (${names[0]?.slice(embeddedDatabasePrefix.length)})`,
    'Restore it on such a machine',
  );
}
