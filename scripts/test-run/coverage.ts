/**
 * Coverage of the code by the tests. Node.js itself measures it, in the workers and in the processes of the project
 * that tests start; c8 makes the report.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Report } from 'c8';

/** Per cent of lines. */
const minLines = 90;

/** Writes a table of the files that are not covered entirely. @returns whether enough lines are covered */
export async function reportCoverage(root: string, measured: string): Promise<boolean> {
  const reports = join(root, 'coverage');
  await rm(reports, { recursive: true, force: true });
  const report = new Report({
    tempDirectory: measured,
    reportsDirectory: reports,
    reporter: ['json-summary', 'text'],
    include: ['{runtime,control-plane,installer,vendor,scripts,tools,bench,rigs}/**/*.ts'],
    exclude: ['**/*.test.ts', '**/dist/**', '**/node_modules/**'],
    excludeNodeModules: true,
    skipFull: true,
  });
  await report.run();
  const summary = JSON.parse(await readFile(join(reports, 'coverage-summary.json'), 'utf8'));
  const { pct } = summary.total.lines;
  console.log(`line coverage ${pct}% (at least ${minLines}%)`);
  return pct >= minLines;
}
