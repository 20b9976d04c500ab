/**
 * The files of the project: all but those that .gitignore names.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';

/** Paths relative to the folder, sorted. */
export async function listSourceFiles(root: string): Promise<string[]> {
  const ignored = (await readFile(join(root, '.gitignore'), 'utf8')).split('\n').filter((line) => line !== '');
  const isIgnored = (name: string) =>
    name === '.git' || ignored.some((pattern) => matchesGlob(name, pattern.replace(/\/$/, '')));

  const files: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isIgnored(entry.name)) continue;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  await walk('');
  return files.sort();
}
