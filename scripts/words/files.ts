/**
 * The files whose words are checked: everything written by people, in the repository or about to be added to it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';

const extensions = /\.(ts|js|mjs|cjs|md|yml|json|cfg|css|grit)$/;

/** Written by tools, applied to databases already, or about words themselves. */
const excluded = [
  'docs/glossary.md',
  '**/CHANGELOG.md',
  '**/package-lock.json',
  'control-plane/catalogue/catalogue.json',
  'vendor/*/migrations/**',
  'runtime/migrations/**',
  'control-plane/migrations/**',
];

/** Paths relative to the folder, sorted. Anything that .gitignore names is left out. */
export async function findFiles(root: string): Promise<string[]> {
  const ignored = (await readFile(join(root, '.gitignore'), 'utf8')).split('\n').filter((line) => line !== '');
  const isIgnored = (name: string) =>
    name === '.git' || ignored.some((pattern) => matchesGlob(name, pattern.replace(/\/$/, '')));

  const files: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isIgnored(entry.name)) continue;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile() && isChecked(path)) files.push(path);
    }
  };
  await walk('');
  return files.sort();
}

function isChecked(path: string): boolean {
  return extensions.test(path) && !excluded.some((pattern) => matchesGlob(path, pattern));
}
