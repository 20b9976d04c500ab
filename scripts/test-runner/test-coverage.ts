/**
 * `npm run test:coverage -- <folder>`: reports which lines of the sources the tests have run, from what Node.js itself
 * has measured in their processes with `--coverage <folder>`. Exits with 1 if they are too few.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import { Report } from 'c8';
import { runCommand, UsageError } from '../../tools/command-line.ts';

/** Per cent of all lines. */
const minLines = 90;

async function measuredFiles(folder: string | undefined): Promise<number> {
  return folder === undefined ? 0 : (await readdir(folder).catch(() => [])).length;
}

const help = `Usage: npm run test:coverage -- <folder>

Reports which lines of the sources the tests have run, from what Node.js has
measured in the folder of npm test -- --coverage <folder>.

  --help  this text

Exit codes: 0 at least ${minLines} per cent of all lines, 1 fewer, 2 wrong usage.
`;

await runCommand({ name: 'npm run test:coverage', help, most: 1 }, async ({ positionals: [folder] }) => {
  if (folder === undefined || (await measuredFiles(folder)) === 0)
    throw new UsageError('name the folder of npm test -- --coverage <folder>');
  const root = resolve(sourceRoot, '..');
  const reportsDirectory = join(root, 'coverage');
  process.chdir(root);
  const report = new Report({
    tempDirectory: resolve(folder),
    reportsDirectory,
    reporter: ['json-summary', 'text'],
    include: ['{durable-files,runtime,control-plane,installer,vendor,examples,scripts,tools,bench,rigs}/**/*.ts'],
    exclude: ['**/*.test.ts', '**/dist/**', '**/node_modules/**'],
    excludeNodeModules: true,
    skipFull: true,
  });
  await report.run();
  const summary = JSON.parse(await readFile(join(reportsDirectory, 'coverage-summary.json'), 'utf8'));
  const { pct } = summary.total.lines;
  console.log(`line coverage ${pct}% (at least ${minLines}%)`);
  return pct < minLines ? 1 : 0;
});
