/**
 * The lock file of a release: the version and integrity of each package. The id of the release is derived from it, so the
 * same packages always form the same release.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFileName } from '../vendor.ts';

/** One package as the registry declares it. `integrity` is a Subresource Integrity string, `sha512-…`. */
export interface LockedPackage {
  version: string;
  integrity: string;
}

/** The content of the lock file. */
export interface ReleaseLock {
  lockVersion: 1;
  tier: string;
  /** By full npm name, in alphabetical order. */
  packages: Record<string, LockedPackage>;
}

/** Creates the lock of a set of packages. */
export function createLock(tier: string, packages: readonly ({ name: string } & LockedPackage)[]): ReleaseLock {
  const sorted = [...packages].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    lockVersion: 1,
    tier,
    packages: Object.fromEntries(sorted.map(({ name, version, integrity }) => [name, { version, integrity }])),
  };
}

/** Formats the text of the file, from which the release's id is derived. */
export function formatLock(lock: ReleaseLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Returns the id of a lock's release: the first 16 hexadecimal digits of the SHA-256 of its text. */
export function releaseId(lock: ReleaseLock): string {
  return createHash('sha256').update(formatLock(lock)).digest('hex').slice(0, 16);
}

/** Reads a release's lock. @returns undefined if it is missing or invalid */
export async function readLock(release: string): Promise<ReleaseLock | undefined> {
  try {
    const lock = JSON.parse(await readFile(join(release, lockFileName), 'utf8')) as ReleaseLock;
    return lock.lockVersion === 1 && lock.packages ? lock : undefined;
  } catch {
    return undefined;
  }
}
