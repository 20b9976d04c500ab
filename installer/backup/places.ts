/**
 * The files of a box besides its database: those in its folder `data`, and those of media.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { BoxFolder } from '../box/folder.ts';

/** Where they are in a backup. */
export const filesPath = 'files';

export interface Place {
  /** The folder here, and its path in the backup. */
  from: string;
  to: string;
  /** Names in it that are left out. */
  without: readonly string[];
}

/** The folders with files: `data`, and that of media if it is elsewhere. */
export function placesOf(folder: BoxFolder, secrets: Record<string, string | undefined>): Place[] {
  const media = mediaFolder(folder, secrets);
  const others = ['postgresql', 'uploads'];
  if (!media) return [{ from: folder.data, to: filesPath, without: others }];
  // The box does not use what an earlier setting has left in `data`, and its names would be there twice.
  return [
    { from: folder.data, to: filesPath, without: [...others, 'media'] },
    { from: media, to: `${filesPath}/media`, without: [] },
  ];
}

/** The folder of media files if it is not within `data`. A restore puts it there. */
function mediaFolder(folder: BoxFolder, secrets: Record<string, string | undefined>): string | undefined {
  if (secrets.MEDIA_STORAGE === 's3' || !secrets.MEDIA_FOLDER) return undefined;
  const path = resolve(folder.root, secrets.MEDIA_FOLDER);
  const within = relative(folder.data, path);
  return within.startsWith('..') || isAbsolute(within) ? path : undefined;
}

/**
 * The names of all files of a place. Links are followed, since a folder may be on another disk; one that leads to a folder
 * above it or nowhere is left out, and so is what is no file, such as a socket.
 */
export async function* namesIn({ from, without }: Pick<Place, 'from' | 'without'>): AsyncGenerator<string> {
  for (const entry of await entriesOf(from)) {
    if (!without.includes(entry.name)) yield* namesOf(from, entry, entry.name, [await realpath(from)]);
  }
}

/** @param above the folders that contain the entry, without links */
async function* namesOf(from: string, entry: Dirent, name: string, above: string[]): AsyncGenerator<string> {
  const path = join(from, name);
  const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry;
  if (found?.isFile()) yield name;
  if (!found?.isDirectory()) return;
  const own = await realpath(path);
  if (above.includes(own)) return;
  for (const each of await entriesOf(path)) yield* namesOf(from, each, `${name}/${each.name}`, [...above, own]);
}

async function entriesOf(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
