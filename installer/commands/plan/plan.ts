/**
 * `plan`: what an upgrade would do. Nothing is changed, and no place of the licence is taken.
 */
import { statfs } from 'node:fs/promises';
import semver from 'semver';
import { checkSpaceFor } from '../../backup/space.ts';
import { boxFolder } from '../../box/folder.ts';
import { readSecrets, requireSettings } from '../../box/settings.ts';
import { activate, defaultChannel } from '../../control-plane.ts';
import { asFailure } from '../../failure.ts';
import { type Output, silent } from '../../output/output.ts';
import { checkDisk, neededBytes, spareBytesOf } from '../../preflight.ts';
import { planPull } from '../../pull/pull.ts';
import { rejectYanked } from '../../pull/yanked.ts';
import { currentRelease } from '../../release/layout.ts';
import type { Migration } from '../../release/migrations.ts';
import { checkOwnBackup } from '../../upgrade/guard.ts';
import { findKeptMigrations, type KeptMigrations } from '../../upgrade/kept-migrations.ts';
import { type PendingMigrations, planBackup } from '../../upgrade/pending.ts';
import { chooseKey, type InstallOptions } from '../install/options.ts';
import { chooseRelease, rejectOlder, resolveRelease } from '../support/resolve-release.ts';

export type PlanOptions = Pick<
  InstallOptions,
  'dir' | 'licenseKey' | 'version' | 'channel' | 'unpin' | 'allowYanked' | 'packageKeys' | 'patience' | 'signal'
>;

export interface PlannedPackage {
  name: string;
  version: string;
  /** The installed version, of one that changes. */
  from?: string;
  /** Bytes on disk as the registry declares them. */
  bytes: number;
}

export interface PlanResult {
  dir: string;
  /** Whether the box has the release already. */
  upToDate: boolean;
  from: { release?: string | undefined; version?: string | undefined; tier: string };
  to: { release: string; version: string; tier: string; channel: string };
  /** The version that the box stays at. */
  pinnedVersion?: string;
  packages: {
    added: PlannedPackage[];
    removed: { name: string; version: string }[];
    changed: PlannedPackage[];
    unchanged: number;
  };
  pull: { packages: number; bytes: number };
  disk: { freeBytes: number; neededBytes: number; backupBytes: number };
  migrations: Migration[];
  /** Where it is known from which are applied. */
  migrationsFrom: PendingMigrations['from'];
  /** What the operator's own database keeps of releases that failed their check. */
  keptMigrations?: KeptMigrations[];
  /** Whether the database is backed up before. */
  backup: boolean;
  /** What a rollback would need: the former release alone, or its data too, and so lose what is written afterwards. */
  wayBack: 'code_only' | 'needs_data';
  /** Why an upgrade would be refused, with the code it would end with. */
  refused?: { code: string; message: string; advice: string };
}

/** @throws Failure not_installed, and those of `upgrade` before its pull, except those in `refused` */
export async function plan(options: PlanOptions, output: Output): Promise<PlanResult> {
  const folder = boxFolder(options.dir);
  const before = await requireSettings(folder);
  const secrets = await readSecrets(folder);
  const key = await chooseKey(options, secrets);
  const activation = await activate(before.controlPlaneUrl, { key }, options.signal, output);
  const chosen = chooseRelease(options, before, activation.token);
  const { pinnedVersion: _pinned, chosenChannel: _chosen, ...rest } = before;
  const settings = { ...rest, tier: activation.tier, registryUrl: activation.registryUrl, ...chosen };
  const input = { activation, settings, secrets, key };
  const { release, packages, id, installed } = await resolveRelease(folder, input, options, output);
  const current = await currentRelease(folder);
  const present = installed?.packages ?? {};
  const names = new Set(packages.map(({ name }) => name));
  const added = packages.filter(({ name }) => !present[name]);
  const changed = packages.filter(({ name, integrity }) => present[name] && present[name].integrity !== integrity);
  const removed = Object.entries(present).filter(([name]) => !names.has(name));
  const describe = ({ name, version, unpackedSize: bytes }: (typeof packages)[number]): PlannedPackage => ({
    name,
    version,
    bytes,
    ...(present[name] && { from: present[name].version }),
  });
  const { bytesToPull, packagesToPull } = await planPull(folder, packages);
  const keptMigrations = await findKeptMigrations(folder);
  const planned = await planBackup(folder, packages, { kept: keptMigrations.length > 0 && current !== id });
  const { migrations, migrationsFrom, backup, backupBytes } = planned;
  const refused = await refusalOf(async () => {
    rejectOlder(release, before.version);
    rejectYanked(packages, installed, options.allowYanked ?? false, silent);
    if (packagesToPull > 0) {
      await checkDisk(folder, { pull: bytesToPull, backup: backupBytes }, spareBytesOf(secrets));
    } else if (backup) await checkSpaceFor(folder.root, backupBytes);
    if (backup) await checkOwnBackup(folder);
  });
  // Without a pull, an install checks the space of the backup alone.
  const needed =
    packagesToPull > 0 ? neededBytes({ pull: bytesToPull, backup: backupBytes }, spareBytesOf(secrets)) : backupBytes;
  const { bavail, bsize } = await statfs(folder.root);
  return {
    dir: folder.root,
    upToDate: current === id,
    from: { release: current, version: before.version, tier: installed?.tier ?? before.tier },
    to: { release: id, version: release.version, tier: activation.tier, channel: chosen.channel ?? defaultChannel },
    ...(chosen.pinnedVersion && { pinnedVersion: chosen.pinnedVersion }),
    packages: {
      added: added.map(describe),
      removed: removed.map(([name, { version }]) => ({ name, version })),
      changed: changed.map(describe),
      unchanged: packages.length - added.length - changed.length,
    },
    pull: { packages: packagesToPull, bytes: bytesToPull },
    disk: { freeBytes: bavail * bsize, neededBytes: needed, backupBytes },
    migrations,
    migrationsFrom,
    ...(keptMigrations.length > 0 && { keptMigrations }),
    backup,
    wayBack: migrations.every(({ additive }) => additive) ? 'code_only' : 'needs_data',
    ...(refused && { refused }),
  };
}

async function refusalOf(check: () => Promise<void>): Promise<PlanResult['refused']> {
  try {
    await check();
    return undefined;
  } catch (error) {
    const { code, message, advice } = asFailure(error);
    return { code, message, advice };
  }
}

/** Whether a version is lower than the one before. */
export function isLower(version: string, from: string): boolean {
  return semver.valid(version) !== null && semver.valid(from) !== null && semver.lt(version, from);
}
