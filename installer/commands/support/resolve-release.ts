/**
 * Which release a box gets: read from the control plane, verified, and resolved to the packages of the licence on this
 * machine. Nothing is changed.
 */
import semver from 'semver';
import { type BoxFolder, releaseFolder } from '../../box/folder.ts';
import { readInstallationId } from '../../box/installation.ts';
import type { BoxSecrets, BoxSettings } from '../../box/settings.ts';
import {
  type Activation,
  activate,
  channelOf,
  defaultChannel,
  type Release,
  readRelease,
} from '../../control-plane.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import { createCredentials } from '../../pull/credentials.ts';
import builtIn from '../../pull/package-keys.json' with { type: 'json' };
import { verifyReleaseProvenance } from '../../pull/provenance.ts';
import { openRegistry, type Registry } from '../../pull/registry.ts';
import { type PackageKey, verifyRelease } from '../../pull/release-signature.ts';
import { type ResolvedPackage, resolvePackages } from '../../pull/resolve.ts';
import { currentRelease } from '../../release/layout.ts';
import { createLock, type ReleaseLock, readLock, releaseId } from '../../release/lock-file.ts';
import { vendor } from '../../vendor.ts';
import type { InstallOptions } from '../install/options.ts';

export interface ResolvedRelease {
  registry: Registry;
  release: Release;
  packages: ResolvedPackage[];
  lock: ReleaseLock;
  id: string;
  /** The lock of the current release; undefined for a new box. */
  installed: ReleaseLock | undefined;
  /** Whether signatures were verified. */
  verified: boolean;
}

/** The licence and settings that decide. */
export interface ResolveInput {
  activation: Activation;
  settings: BoxSettings;
  secrets: Partial<BoxSecrets>;
  key: string;
}

type ResolveOptions = Pick<InstallOptions, 'packageKeys' | 'patience' | 'signal'>;

/**
 * The channel and version that a box follows: those of the command line, else those the box is set to, else the newest
 * release of the licence's channel.
 */
export function chooseRelease(
  options: Pick<InstallOptions, 'channel' | 'version' | 'unpin'>,
  before: BoxSettings | undefined,
  token: string,
): Pick<BoxSettings, 'channel' | 'pinnedVersion' | 'chosenChannel'> {
  const chosenChannel = options.channel ?? (options.unpin ? undefined : before?.chosenChannel);
  const pinnedVersion = options.version ?? (options.unpin || options.channel ? undefined : before?.pinnedVersion);
  if (chosenChannel !== undefined && !/^[a-z][a-z0-9-]{0,31}$/.test(chosenChannel)) {
    throw new Failure('usage', `${chosenChannel} is not the name of a channel`, 'Use a name such as stable');
  }
  if (pinnedVersion !== undefined && !semver.valid(pinnedVersion)) {
    throw new Failure('usage', `${pinnedVersion} is not a version`, 'Use the version of a release, such as 0.3.1');
  }
  return {
    channel: chosenChannel ?? channelOf(token),
    ...(chosenChannel !== undefined && { chosenChannel }),
    ...(pinnedVersion !== undefined && { pinnedVersion }),
  };
}

/**
 * @throws Failure integrity_failed, registry_refused, control_plane_unavailable; usage for a release that is older than the
 * installed one, or that the channel does not have
 */
export async function resolveRelease(
  folder: BoxFolder,
  { activation, settings, secrets, key }: ResolveInput,
  options: ResolveOptions,
  output: Output,
): Promise<ResolvedRelease> {
  const installationId = await readInstallationId(folder);
  const renew = () => activate(settings.controlPlaneUrl, { key, installationId }, options.signal, output);
  const registry = openRegistry(createCredentials(activation, renew), output, options.signal, options.patience);
  const { controlPlaneUrl, channel = defaultChannel, pinnedVersion } = settings;
  const release = await readRelease(controlPlaneUrl, channel, options.signal, pinnedVersion, output);
  const keys: readonly PackageKey[] = options.packageKeys ?? builtIn.keys;
  const verified = keys.length > 0;
  if (verified) verifyRelease(release, channel, keys, Date.now());
  if (verified) await verifyReleaseProvenance(registry, release, keys, Date.now());
  const ownDatabase = secrets.DATABASE_URL !== undefined;
  const packages = await resolvePackages(registry, activation.packages, release, { ownDatabase });
  const current = await currentRelease(folder);
  const installed = current === undefined ? undefined : await readLock(releaseFolder(folder, current));
  const lock = createLock(activation.tier, packages);
  return { registry, release, packages, lock, id: releaseId(lock), installed, verified };
}

/**
 * Rejects a release that is older than the installed one: what newer migrations have changed, it may not understand.
 * @throws Failure usage
 */
export function rejectOlder(release: Release, installedVersion: string | undefined): void {
  if (!installedVersion || !semver.valid(release.version) || !semver.valid(installedVersion)) return;
  if (!semver.lt(release.version, installedVersion)) return;
  throw new Failure(
    'usage',
    `release ${release.version} is older than the installed ${installedVersion}`,
    `Nothing was changed. To go back to the release before, use ${vendor} rollback`,
    { installedVersion, version: release.version },
  );
}
