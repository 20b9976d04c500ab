/**
 * The id of an installation, by which the control plane tells apart the boxes of one licence. It is random and stays with
 * the folder of the box, so that updates of the box and resumed installs have the same one.
 */
import { readFile } from 'node:fs/promises';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';

/** Returns the id of the installation in a folder; undefined if there is none, or the file has no UUID. */
export async function readInstallationId(folder: BoxFolder): Promise<string | undefined> {
  const text = await readFile(folder.installationId, 'utf8').catch(() => '');
  const id = text.trim().toLowerCase();
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined;
}

/** Keeps the id in the folder, which must exist. */
export async function keepInstallationId(folder: BoxFolder, id: string): Promise<void> {
  if ((await readInstallationId(folder)) !== id) await writeAtomically(folder.installationId, `${id}\n`);
}
