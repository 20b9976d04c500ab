/**
 * Holds the project to the words of docs/glossary.md: exits 1 and names file, line, word and the term to use instead.
 *
 * Another folder than the project's own may be passed as an argument.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOf, runCommand } from '../../tools/command-line.ts';
import { findFiles } from './words/files.ts';
import { glossaryFile, readGlossary } from './words/glossary.ts';
import { findAvoidedWords } from './words/matches.ts';

const help = `Usage: npm run words -- [folder]

Finds words that docs/glossary.md lists as not used, in all files, and names
file, line, word and the term to use instead.

  folder  another folder than the project's own
  --help  this text

Exit codes: 0 no such word, 1 words to replace, 2 wrong usage.
`;

await runCommand({ name: 'npm run words', help, most: 1 }, async ({ positionals }) => {
  const root = folderOf(positionals, join(import.meta.dirname, '../..'));
  const { avoided, faults } = readGlossary(await readFile(join(root, glossaryFile), 'utf8'));
  const files = await findFiles(root);
  for (const { words, exceptions } of avoided) {
    for (const folder of exceptions) {
      if (files.some((file) => isWithin(file, folder))) continue;
      faults.push(`${glossaryFile}: "${words.join(' ')}" has an exception for ${folder}, which does not exist`);
    }
  }
  for (const file of files) {
    const rules = avoided.filter(({ exceptions }) => !exceptions.some((folder) => isWithin(file, folder)));
    for (const { words, term } of findAvoidedWords(file.replace(/[-./]/g, ' '), rules)) {
      faults.push(`${file}: its name has "${words}"; the term is "${term}"`);
    }
    for (const { line, words, term } of findAvoidedWords(await readFile(join(root, file), 'utf8'), rules, file)) {
      faults.push(`${file}:${line}: "${words}"; the term is "${term}"`);
    }
  }
  if (faults.length > 0) {
    process.stderr.write(
      `${faults.join('\n')}\n${faults.length} words to replace; ${glossaryFile} explains the terms\n`,
    );
    return 1;
  }
  process.stdout.write(`${files.length} files use the terms of ${glossaryFile}\n`);
  return 0;
});

function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}
