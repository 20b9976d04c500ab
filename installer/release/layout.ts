/**
 * Laying a release out on disk and switching to it. A release is built as `releases/<id>.partial`, gets its name by one
 * rename, and becomes the box's by one rename of the link `current`.
 */
import { mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { flushFolder, writeAtomically } from '../box/files.ts';
import { type BoxFolder, exists, packagesFolder, releaseFolder } from '../box/folder.ts';
import { lockFileName } from '../vendor.ts';
import { formatLock, type LockedPackage, type ReleaseLock, readLock } from './lock-file.ts';
import { verifyPackage } from './stamp.ts';

const partialEnding = '.partial';

/** The folder in which a release is put together. */
export function partialFolder(folder: BoxFolder, id: string): string {
  return releaseFolder(folder, id) + partialEnding;
}

/** Where a package stands inside a release. */
export function packageFolder(release: string, name: string): string {
  return join(packagesFolder(release), name.slice(name.indexOf('/') + 1));
}

/**
 * Looks for a package, whole and unchanged, in the releases of a box: finished ones and those an interrupted install
 * left behind.
 * @returns its folder, or undefined
 */
export async function findPackage(
  folder: BoxFolder,
  wanted: LockedPackage & { name: string },
): Promise<string | undefined> {
  for (const release of await readdir(folder.releases).catch(() => [])) {
    const place = packageFolder(join(folder.releases, release), wanted.name);
    if (await verifyPackage(place, wanted)) return place;
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

/** Gives a release its name once all of its packages are in place. A damaged one of the same name makes room. */
export async function finishRelease(folder: BoxFolder, id: string, lock: ReleaseLock): Promise<void> {
  const partial = partialFolder(folder, id);
  const release = releaseFolder(folder, id);
  await removeOtherPackages(partial, lock);
  await writeAtomically(join(partial, lockFileName), formatLock(lock));
  await flushFolder(packagesFolder(partial));
  const damaged = `${release}.damaged`;
  await rm(damaged, { recursive: true, force: true });
  if (await exists(release)) await rename(release, damaged);
  await rename(partial, release);
  await flushFolder(folder.releases);
  await rm(damaged, { recursive: true, force: true });
}

/** Removes what is none of the lock's packages: one that was half unpacked when an earlier install was killed. */
async function removeOtherPackages(release: string, lock: ReleaseLock): Promise<void> {
  const wanted = new Set(Object.keys(lock.packages).map((name) => packageFolder(release, name)));
  for (const name of await readdir(packagesFolder(release))) {
    const place = join(packagesFolder(release), name);
    if (!wanted.has(place)) await rm(place, { recursive: true, force: true });
  }
}

/** Takes a finished release back to what an interrupted install leaves, from which a later one goes on. */
export async function revertToPartial(folder: BoxFolder, id: string): Promise<void> {
  await rename(releaseFolder(folder, id), partialFolder(folder, id));
}

/** Removes what interrupted installs left behind. */
export async function removePartials(folder: BoxFolder): Promise<void> {
  for (const name of await readdir(folder.releases).catch(() => [])) {
    if (name.endsWith(partialEnding)) await rm(join(folder.releases, name), { recursive: true, force: true });
  }
}

/** Makes the folder in which a release's packages are put. */
export async function createPartial(folder: BoxFolder, id: string): Promise<string> {
  const partial = partialFolder(folder, id);
  await mkdir(packagesFolder(partial), { recursive: true });
  return partial;
}

/** The release that `current` names, or undefined when there is none. */
export async function currentRelease(folder: BoxFolder): Promise<string | undefined> {
  return readlink(folder.current).then(basename, () => undefined);
}

/** Points `current` at a release: readers see the old one or the new one, never none. */
export async function switchCurrent(folder: BoxFolder, id: string): Promise<void> {
  const temporary = `${folder.current}.new`;
  await rm(temporary, { force: true });
  await symlink(join('releases', id), temporary);
  await rename(temporary, folder.current);
  await flushFolder(folder.root);
}
