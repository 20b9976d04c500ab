/**
 * Laying out a release on disk and switching to it. A release is assembled in `releases/<id>.partial`, renamed to
 * `releases/<id>` when it is complete, and becomes current when the link `current` is replaced by a rename. It is flushed to
 * disk before it becomes current. A power failure before that may damage it: the next install verifies every file.
 */
import { mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { flush } from '@carton/durable-files';
import { flushTree, writeAtomically } from '../box/files.ts';
import { type BoxFolder, exists, packagesFolder, releaseFolder } from '../box/folder.ts';
import { lockFileName } from '../vendor.ts';
import { formatLock, type LockedPackage, type ReleaseLock, readLock } from './lock-file.ts';
import { verifyPackage } from './stamp.ts';

const partialEnding = '.partial';

/** Returns the folder in which a release is assembled. */
export function partialFolder(folder: BoxFolder, id: string): string {
  return releaseFolder(folder, id) + partialEnding;
}

/** Returns the folder of a package in a release. */
export function packageFolder(release: string, name: string): string {
  return join(packagesFolder(release), name.slice(name.indexOf('/') + 1));
}

/**
 * Finds an intact copy of a package in the box's releases, complete or partial.
 * @returns its folder, or undefined
 */
export async function findPackage(
  folder: BoxFolder,
  expected: LockedPackage & { name: string },
): Promise<string | undefined> {
  for (const release of await readdir(folder.releases).catch(() => [])) {
    const path = packageFolder(join(folder.releases, release), expected.name);
    if (await verifyPackage(path, expected)) return path;
  }
  return undefined;
}

/** Whether a release is on disk, complete and undamaged. */
export async function isComplete(folder: BoxFolder, id: string, lock: ReleaseLock): Promise<boolean> {
  const release = releaseFolder(folder, id);
  if (!(await readLock(release))) return false;
  for (const [name, locked] of Object.entries(lock.packages)) {
    const { version, integrity } = locked;
    if (!(await verifyPackage(packageFolder(release, name), { name, version, integrity }))) return false;
  }
  return true;
}

/**
 * Completes a partial release that has all of its packages. Replaces a damaged release with the same id. Before the release
 * becomes current, `flushRelease` must have ended.
 */
export async function finishRelease(folder: BoxFolder, id: string, lock: ReleaseLock): Promise<void> {
  const partial = partialFolder(folder, id);
  const release = releaseFolder(folder, id);
  await removeOtherPackages(partial, lock);
  await writeAtomically(join(partial, lockFileName), formatLock(lock));
  const damaged = `${release}.damaged`;
  await rm(damaged, { recursive: true, force: true });
  if (await exists(release)) {
    await flushTree(partial); // it may be current
    await rename(release, damaged);
  }
  await rename(partial, release);
  await rm(damaged, { recursive: true, force: true });
}

/** Flushes a complete release to disk; also one that an earlier install has completed, and may have been killed then. */
export async function flushRelease(folder: BoxFolder, id: string): Promise<void> {
  await flushTree(releaseFolder(folder, id));
  await flush(folder.releases);
}

/** Removes everything that is not a package of the lock, such as packages half unpacked by a killed install. */
async function removeOtherPackages(release: string, lock: ReleaseLock): Promise<void> {
  const expected = new Set(Object.keys(lock.packages).map((name) => packageFolder(release, name)));
  for (const name of await readdir(packagesFolder(release))) {
    const path = join(packagesFolder(release), name);
    if (!expected.has(path)) await rm(path, { recursive: true, force: true });
  }
}

/** Makes a complete release partial again, so that a later install can reuse its packages. */
export async function revertToPartial(folder: BoxFolder, id: string): Promise<void> {
  await rename(releaseFolder(folder, id), partialFolder(folder, id));
}

/** Removes all partial releases, and the link of a switch that was killed. */
export async function removePartials(folder: BoxFolder): Promise<void> {
  await rm(nextLink(folder), { force: true });
  for (const name of await readdir(folder.releases).catch(() => [])) {
    if (name.endsWith(partialEnding)) await rm(join(folder.releases, name), { recursive: true, force: true });
  }
}

/** Creates the folder of a partial release and returns its path. */
export async function createPartial(folder: BoxFolder, id: string): Promise<string> {
  const partial = partialFolder(folder, id);
  await mkdir(packagesFolder(partial), { recursive: true });
  return partial;
}

/** Returns the id of the current release, or undefined if there is none. */
export async function currentRelease(folder: BoxFolder): Promise<string | undefined> {
  return readlink(folder.current).then(basename, () => undefined);
}

const nextLink = (folder: BoxFolder) => `${folder.current}.new`;

/** Makes a release current. The switch is atomic: readers see the old or the new one. */
export async function switchCurrent(folder: BoxFolder, id: string): Promise<void> {
  const temporary = nextLink(folder);
  await rm(temporary, { force: true });
  await symlink(join('releases', id), temporary);
  await rename(temporary, folder.current);
  await flush(folder.root);
}
