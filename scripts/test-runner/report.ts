/**
 * What a run of the tests prints: a line a file, failures whole, and at the end the counts and where the time went.
 */
import { inspect } from 'node:util';
import { slowestOf } from '../../tools/figures.ts';
import type { FileResult, LateFailure } from './file-result.ts';
import { excerptOf, placeOf } from './place.ts';
import type { AssertResult } from './tap.ts';

const seconds = (value: number) => `${value.toFixed(1)} s`;

/** Lines that are shown of comments and of the output, the last ones. */
const maxComments = 60;

/** Lines that are shown of a difference, the first ones. */
const maxDifference = 100;

/** Files that are named of those that ran before in the same process, the last ones. */
const maxBefore = 20;

/** A failed assertion: its name, the difference, where it is. */
function describe({ path, name, diagnostics }: AssertResult, root: string): string {
  const lines = [`  ✗ ${path.slice(1).join(' › ') || name}`];
  const { at, diff, stack, source: _, tapCaught: __, log, ...others } = diagnostics ?? {};
  const own = at?.fileName ? `${at.fileName}:${at.lineNumber}:${at.columnNumber}` : '';
  const place = placeOf(`${own}\n${stack ?? ''}`, root, path[0]);
  if (place) lines.push(`    at ${place.file}:${place.line}:${place.column}`);
  if (diff) lines.push(indent(firstLines(asText(diff))));
  else if (Object.keys(others).length > 0) lines.push(indent(firstLines(textOf(others))));
  const excerpt = place ? excerptOf(place, root) : '';
  if (excerpt) lines.push(indent(excerpt));
  if (stack) lines.push(indent(asText(stack)));
  if (log) lines.push('    The log of the box:', indent(asText(log)));
  return lines.join('\n');
}

/** A test may name its own diagnostics as tap does, and YAML reads a text of digits as a number. */
function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? textOf(value) : String(value);
}

/** Values of any kind: JSON has none of BigInt, of what refers to itself, and of a date that is none. */
function textOf(values: object): string {
  return inspect(values, { depth: 10, breakLength: 100, maxArrayLength: maxDifference });
}

function firstLines(text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= maxDifference) return text;
  return [...lines.slice(0, maxDifference), `… and ${lines.length - maxDifference} more lines`].join('\n');
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-maxComments).join('\n');
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ');
}

/** The files of a process, and how to run them in one again. */
function printBefore(title: string, files: readonly string[], seed: number): void {
  if (files.length === 0) return;
  const left = files.length - maxBefore;
  console.log(`  ${title}:`);
  if (left > 0) console.log(`    (${left} more)`);
  for (const file of files.slice(-maxBefore)) console.log(`    ${file}`);
  console.log(`  run them in one process, in this order: npm test -- --seed ${seed} --jobs 1 <files>`);
}

/** Prints a file's result. */
export function printFile(result: FileResult, root: string, seed: number): void {
  const { file, ok, asserts, comments, output, before, cpuSeconds, wallSeconds } = result;
  const skipped = asserts.filter((each) => each.skip !== false);
  console.log(`${ok ? 'ok' : 'not ok'} - ${file} # ${seconds(wallSeconds)}, CPU ${seconds(cpuSeconds)}`);
  for (const { name, skip } of skipped) console.log(`  skipped: ${name}${typeof skip === 'string' ? `: ${skip}` : ''}`);
  if (ok) return;
  for (const each of asserts) if (!each.ok && each.skip === false) console.log(describe(each, root));
  if (comments.length > 0) console.log(`  what the tests said:\n${indent(comments.slice(-maxComments).join('\n'))}`);
  if (output.trim() !== '') console.log(`  what it wrote to standard output:\n${indent(lastLines(output))}`);
  console.log(`  run it alone: npm test -- ${file}`);
  printBefore('run before it in the same process', before, seed);
}

/** Prints a failure after the end of its file. */
export function printLate({ name, stack, files, isKnown }: LateFailure, root: string, seed: number): void {
  const [first = 'no file', ...others] = files;
  console.log(`not ok - after the end of ${isKnown ? first : 'a file'}`);
  const diagnostics = stack === '' ? {} : { stack };
  console.log(describe({ ok: false, name, path: [first, name], skip: false, diagnostics }, root));
  if (isKnown) console.log(`  run it alone: npm test -- ${first}`);
  const ran = isKnown ? others : files;
  printBefore(isKnown ? 'run in the same process' : 'run in its process', [...ran].reverse(), seed);
}

/** Prints the files that took most of the CPU. */
export function printSlowest(results: readonly FileResult[]): void {
  console.log('\nThe files that took most CPU:\n     CPU      wall');
  for (const { file, cpuSeconds, wallSeconds } of slowestOf(results)) {
    console.log(`${seconds(cpuSeconds).padStart(8)}  ${seconds(wallSeconds).padStart(8)}  ${file}`);
  }
}

/** Prints the counts of a run. @returns whether all files held, also after their end */
export function printCounts(results: readonly FileResult[], late: readonly LateFailure[]): boolean {
  const asserts = results.flatMap((each) => each.asserts);
  const skipped = asserts.filter(({ skip }) => skip !== false).length;
  const failed = asserts.filter(({ ok, skip }) => !ok && skip === false).length;
  const bad = results.filter(({ ok }) => !ok);
  if (bad.length > 0)
    console.log(`\n${bad.length} of ${results.length} files failed:\n${bad.map(({ file }) => `  ${file}`).join('\n')}`);
  if (late.length > 0) {
    console.log(`\n${late.length} failures after the end of their file:`);
    for (const { name, files, isKnown } of late) console.log(`  ${isKnown ? files[0] : 'unknown file'}: ${name}`);
  }
  const passed = asserts.length - failed - skipped;
  console.log(`${passed} passed, ${failed + late.length} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return bad.length === 0 && late.length === 0;
}
