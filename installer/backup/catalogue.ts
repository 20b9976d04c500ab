/**
 * The catalogue of backups: which of those in a folder or bucket this box has written and verified. Retention removes only
 * those.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../box/files.ts';
import { vendor } from '../vendor.ts';
import type { BackupPlace, CatalogueEntry } from './place.ts';

/** In the folder of the backups; a bucket has a record beside each backup. */
const catalogueFile = `.${vendor}-backups.json`;

/** Returns the entries whose files are still there as they were written, oldest first. */
export async function readCatalogue(folder: string): Promise<CatalogueEntry[]> {
  const text = await readFile(join(folder, catalogueFile), 'utf8').catch(() => '[]');
  let entries: CatalogueEntry[];
  try {
    entries = JSON.parse(text) as CatalogueEntry[];
  } catch {
    return []; // without it nothing is removed
  }
  const present: CatalogueEntry[] = [];
  for (const entry of entries) {
    // An attacker who can write there must not have other files read or removed.
    if (!/^[^/.][^/]*\.(zst|enc)$/.test(entry.file)) continue;
    const { size } = (await stat(join(folder, entry.file)).catch(() => undefined)) ?? {};
    if (size === entry.bytes) present.push(entry);
  }
  return present.toSorted((one, other) => one.time.localeCompare(other.time));
}

/** Adds an entry, or replaces the one of the same file. */
export async function addToCatalogue(folder: string, entry: CatalogueEntry): Promise<void> {
  const others = (await readCatalogue(folder)).filter(({ file }) => file !== entry.file);
  await writeAtomically(join(folder, catalogueFile), `${JSON.stringify([...others, entry], null, 2)}\n`, 0o600);
}

/**
 * Removes the oldest backups of an installation, so that at most `keep` stay. Files that are not in the catalogue, those
 * that have another size than when they were verified, and those of other installations stay.
 * @param verified the file that was verified just now: it stays, and so there is always a good one
 * @returns the names of those removed
 */
export async function removeOldBackups(
  place: BackupPlace,
  { keep, verified, installation }: { keep: number; verified: string; installation: string | undefined },
): Promise<string[]> {
  const own = (await place.entries()).filter((entry) => entry.installation === installation);
  if (!own.some(({ file }) => file === verified)) return [];
  const others = own.filter(({ file }) => file !== verified);
  const old = others.slice(0, Math.max(0, others.length - Math.max(0, keep - 1)));
  for (const { file } of old) await place.remove(file);
  return old.map(({ file }) => file);
}

/**
 * Removes the segments of an archive of the WAL that no backup needs: those before the oldest one.
 * @param place of the backups
 * @returns how many were removed
 */
export async function pruneArchive(
  place: BackupPlace,
  archive: string,
  installation: string | undefined,
): Promise<number> {
  const own = (await place.entries()).filter((entry) => entry.installation === installation);
  const needed = own.map(({ segment }) => segment?.slice(8)).filter((place) => place !== undefined);
  const oldest = needed.sort()[0];
  if (oldest === undefined) return 0;
  let removed = 0;
  for (const name of await readdir(archive).catch(() => [])) {
    // A segment has the place in the WAL after its timeline. History files are small, and stay.
    if (!/^[0-9A-F]{24}$/.test(name) || name.slice(8) >= oldest) continue;
    await rm(join(archive, name), { force: true });
    removed += 1;
  }
  return removed;
}
