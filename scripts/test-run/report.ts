/**
 * What a run of the tests prints: a line a file, failures whole, and at the end the counts and where the time went.
 */
import { relative } from 'node:path';
import { slowestOf } from '../../tools/figures.ts';
import type { AssertResult } from './tap.ts';
import type { FileResult } from './workers.ts';

const seconds = (value: number) => `${value.toFixed(1)} s`;

/** Lines of comments that are shown, the last ones. */
const maxComments = 60;

/** A failed assertion: its name, the difference, where it is. */
function describe({ path, name, diagnostics }: AssertResult, root: string): string {
  const lines = [`  ✗ ${path.slice(1).join(' › ') || name}`];
  const { at, diff, stack, source, log, ...others } = diagnostics ?? {};
  if (at?.fileName) lines.push(`    at ${relative(root, at.fileName)}:${at.lineNumber}:${at.columnNumber}`);
  if (diff) lines.push(indent(diff));
  else if (Object.keys(others).length > 0) lines.push(indent(JSON.stringify(others, null, 2)));
  if (source) lines.push(indent(source));
  if (stack) lines.push(indent(stack));
  if (log) lines.push('    The log of the box:', indent(log));
  return lines.join('\n');
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ');
}

/** Prints a file's result. */
export function printFile({ file, ok, asserts, comments, cpuSeconds, wallSeconds }: FileResult, root: string): void {
  const skipped = asserts.filter((each) => each.skip !== false);
  console.log(`${ok ? 'ok' : 'not ok'} - ${file} # ${seconds(wallSeconds)}, CPU ${seconds(cpuSeconds)}`);
  for (const { name, skip } of skipped) console.log(`  skipped: ${name}${typeof skip === 'string' ? `: ${skip}` : ''}`);
  if (ok) return;
  for (const each of asserts) if (!each.ok && each.skip === false) console.log(describe(each, root));
  if (comments.length > 0) console.log(`  what the tests said:\n${indent(comments.slice(-maxComments).join('\n'))}`);
  console.log(`  run it alone: npm test -- ${file}`);
}

/** Prints the files that took most of the CPU. */
export function printSlowest(results: readonly FileResult[]): void {
  console.log('\nThe files that took most CPU:\n     CPU      wall');
  for (const { file, cpuSeconds, wallSeconds } of slowestOf(results)) {
    console.log(`${seconds(cpuSeconds).padStart(8)}  ${seconds(wallSeconds).padStart(8)}  ${file}`);
  }
}

/** Prints the counts of a run. @returns whether all files held */
export function printCounts(results: readonly FileResult[]): boolean {
  const asserts = results.flatMap((each) => each.asserts);
  const skipped = asserts.filter(({ skip }) => skip !== false).length;
  const failed = asserts.filter(({ ok, skip }) => !ok && skip === false).length;
  const bad = results.filter(({ ok }) => !ok);
  if (bad.length > 0)
    console.log(`\n${bad.length} of ${results.length} files failed:\n${bad.map(({ file }) => `  ${file}`).join('\n')}`);
  console.log(`${asserts.length - failed - skipped} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return bad.length === 0;
}
