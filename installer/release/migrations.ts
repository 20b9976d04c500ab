/**
 * The migrations of a release on disk, and which of them are additive: the former release works on the database after
 * them. A package says so in its package.json, whose digest is that of the release.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BoxFolder, releaseFolder } from '../box/folder.ts';
import { vendor } from '../vendor.ts';
import { packageFolder } from './layout.ts';
import { readLock } from './lock-file.ts';

export interface Migration {
  /** Full name of the package. */
  package: string;
  /** File name, unique across packages. */
  file: string;
  /** False also where the package does not say, as those of before 0.3 do. */
  additive: boolean;
  /** Whether it is additive for a box that has no migration of the package yet: it changes tables of the package only. */
  additiveIfNew?: true;
}

/** What a package says of its migrations, by file name. */
export type MigrationKinds = Readonly<Record<string, unknown>>;

/** Returns the migrations of a release, in the order in which a box applies them; none if its lock is missing. */
export async function migrationsOf(folder: BoxFolder, id: string): Promise<Migration[]> {
  const release = releaseFolder(folder, id);
  const found: Migration[] = [];
  for (const name of Object.keys((await readLock(release))?.packages ?? {})) {
    const path = packageFolder(release, name);
    const files = await readdir(join(path, 'migrations')).catch(() => []);
    if (files.length === 0) continue;
    const kinds = kindsIn(JSON.parse(await readFile(join(path, 'package.json'), 'utf8')));
    found.push(
      ...toMigrations(
        name,
        files.filter((file) => file.endsWith('.js')),
        kinds,
      ),
    );
  }
  return inOrder(found);
}

/** Returns what a manifest says of the migrations of its package. */
export function kindsIn(manifest: unknown): MigrationKinds {
  const own = (manifest as Record<string, { migrations?: unknown } | undefined> | null)?.[vendor]?.migrations;
  return own !== null && typeof own === 'object' && !Array.isArray(own) ? (own as MigrationKinds) : {};
}

export function toMigrations(name: string, files: readonly string[], kinds: MigrationKinds): Migration[] {
  return files.map((file) => ({
    package: name,
    file,
    additive: Object.hasOwn(kinds, file) && kinds[file] === 'additive',
    ...(Object.hasOwn(kinds, file) && kinds[file] === 'additiveIfNew' && { additiveIfNew: true as const }),
  }));
}

/** Sorts by file name, which begins with a timestamp. */
export function inOrder(migrations: readonly Migration[]): Migration[] {
  return [...migrations].sort((one, other) => (one.file < other.file ? -1 : 1));
}
