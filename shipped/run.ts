/**
 * `npm run test:shipped`: builds, publishes and installs everything as it is shipped, and runs the subjects against it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import { writeFigures } from '../tools/figures.ts';
import { repository } from '../tools/packages/sources.ts';
import { boxFolder } from '../tools/shipped-stack/settings.ts';
import { makeStack, openStack, type Stack } from '../tools/shipped-stack/stack.ts';
import { help, type Options, readOptions } from './options.ts';
import { stopAndCheck } from './report/after.ts';
import { readKnownFailures, sortFailures } from './report/known-failures.ts';
import type { Failure, Results } from './report/results.ts';
import { SpentTime } from './report/spent.ts';
import { listSubjects, runSubjects } from './run-subjects.ts';

// Of `npm run --silent`: npm in a subject would say nothing either.
delete process.env.npm_config_loglevel;

const listOfKnownFailures = join('shipped', 'known-failures.md');
const say = (line: string) => console.log(line);

function show({ name, place, details }: Failure, { stack, keep }: Options): void {
  const [subject = ''] = name.split(' > ');
  say(`\nnot ok ${name}`);
  if (place !== '') say(`  at ${place}`);
  for (const line of details) say(`  ${line}`);
  const kept = stack ?? keep;
  const where = kept === undefined ? '' : ` --stack ${kept}`;
  if (subject !== 'stack') say(`  alone: npm run test:shipped -- --only ${subject}${where}`);
}

/** Shows failures and counts. @returns the exit code */
async function report(results: readonly Results[], ofStack: readonly Failure[], options: Options): Promise<number> {
  const failures = [...results.flatMap((each) => each.failures), ...ofStack];
  const list = await readKnownFailures(join(repository, listOfKnownFailures));
  const { known, fresh, mended } = sortFailures(failures, list, options.only);
  for (const { name } of known) say(`known: ${name}`);
  for (const failure of fresh) show(failure, options);
  for (const { name, line } of mended) {
    say(`\nnot ok ${name}\n  is mended: remove it from the list (${listOfKnownFailures}:${line})`);
  }
  const skipped = results.flatMap((each) => each.skipped);
  for (const line of skipped) say(`skipped: ${line}`);
  const passed = results.reduce((sum, each) => sum + each.passed, known.length);
  const failed = fresh.length + mended.length;
  say(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  return failed === 0 ? 0 : 1;
}

async function run(
  options: Options,
  { subjects, stackFolder, ending }: { subjects: readonly string[]; stackFolder: string; ending: AbortSignal },
): Promise<number> {
  const spent = new SpentTime(boxFolder({ folder: stackFolder }));
  const results: Results[] = [];
  const failures: Failure[] = [];
  let stack: Stack | undefined;
  const stop = () => stack?.stop().catch(() => {});
  ending.addEventListener('abort', () => void Promise.resolve(stop()).then(() => process.exit(130)));
  try {
    const open = options.stack === undefined ? makeStack : openStack;
    stack = await open({
      root: repository,
      folder: stackFolder,
      compared: true,
      say,
      measure: (step) => spent.start(step),
    });
    results.push(...(await runSubjects(options.only, { stackFolder, spent, say })));
    spent.end();
    failures.push(...(await stopAndCheck(stack)));
  } catch (error) {
    // The stack cannot be made: a package that cannot be built, a box that cannot be installed.
    failures.push({ name: 'stack > it runs', place: '', details: (error as Error).message.split('\n') });
  } finally {
    await stop();
  }
  const code = await report(results, failures, options);
  if (options.figures) {
    const { cpuSeconds, files } = spent;
    const passed = results.reduce((sum, each) => sum + each.passed, 0);
    // A stack that was made before costs nothing now.
    const complete = options.only.length === subjects.length && options.stack === undefined;
    await writeFigures(options.figures, { suite: 'shipped', complete, passed, cpuSeconds, files });
  }
  return code;
}

async function main(): Promise<number> {
  const subjects = await listSubjects();
  const options = readOptions(process.argv.slice(2), subjects);
  if (options === null) {
    say(help(subjects));
    return 0;
  }
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const own = options.stack ?? options.keep;
  const stackFolder = own ?? (await temporaryFolder('shipped-'));
  try {
    return await run(options, { subjects, stackFolder, ending: ending.signal });
  } finally {
    if (own === undefined) await rm(stackFolder, { recursive: true, force: true });
  }
}

try {
  process.exit(await main());
} catch (error) {
  console.error((error as Error).message);
  process.exit(2);
}
