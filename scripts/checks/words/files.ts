/**
 * The files whose words are checked: text that people write.
 */
import { matchesGlob } from 'node:path';
import { listSourceFiles } from '../../sources/source-files.ts';

const extensions = /\.(ts|js|mjs|cjs|md|yml|json|cfg|css|grit)$/;

/** Written by tools, applied to databases already, or about words themselves. */
const excluded = [
  'docs/glossary.md',
  '**/CHANGELOG.md',
  '**/package-lock.json',
  'vendor/*/migrations/**',
  'runtime/migrations/**',
  'control-plane/migrations/**',
];

export async function findFiles(root: string): Promise<string[]> {
  const files = await listSourceFiles(root);
  return files.filter((path) => extensions.test(path) && !excluded.some((pattern) => matchesGlob(path, pattern)));
}
