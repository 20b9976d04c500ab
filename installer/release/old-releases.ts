/**
 * When a former release is removed from the disk: after each install, once it is neither in use nor one to go back to.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BoxFolder } from '../box/folder.ts';

/**
 * Removes complete releases except these, and the newest of the others if these are fewer than two: one to go back to.
 * @returns the ids of those removed
 */
export async function removeOldReleases(folder: BoxFolder, kept: ReadonlySet<string>): Promise<string[]> {
  const names = await readdir(folder.releases).catch(() => []);
  const others: { name: string; time: number }[] = [];
  for (const name of names) {
    if (kept.has(name) || !/^[0-9a-f]{16}$/.test(name)) continue;
    others.push({ name, time: (await stat(join(folder.releases, name))).mtimeMs });
  }
  others.sort((one, other) => other.time - one.time);
  const old = others.slice(Math.max(0, 2 - kept.size)).map(({ name }) => name);
  for (const name of old) await rm(join(folder.releases, name), { recursive: true, force: true });
  return old;
}
