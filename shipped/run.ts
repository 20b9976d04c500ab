/**
 * `npm run test:shipped`: builds, publishes and installs everything as it is shipped, and runs the subjects against it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@carton/runtime/testing';
import { repository } from '../tools/packages/sources.ts';
import { help, readOptions } from './options.ts';
import { errorsOfBox, processesIn } from './report/after.ts';
import { readKnownFailures, sortFailures } from './report/known-failures.ts';
import { type Failure, type Results, readResults } from './report/results.ts';
import { makeStack, openStack, type Stack } from './stack/stack.ts';
import { stackVariable } from './stage.ts';

const folder = join(repository, 'shipped');
const say = (line: string) => console.log(line);

/** Subjects that change settings of the box or stop it: one after another, when the others have ended. */
const last = ['services', 'command'];
/** The longest one, first. */
const first = ['operations'];

async function subjects(): Promise<string[]> {
  const names = (await readdir(join(folder, 'subjects'))).flatMap((file) => /^(.+)\.ts$/.exec(file)?.[1] ?? []);
  return names.sort((one, other) => orderOf(one) - orderOf(other));
}

function orderOf(name: string): number {
  return first.includes(name) ? -1 : last.indexOf(name) + 1;
}

interface Run extends Results {
  subject: string;
}

async function runSubject(subject: string, stackFolder: string): Promise<Run> {
  const start = performance.now();
  const file = join(folder, 'subjects', `${subject}.ts`);
  const child = spawn(process.execPath, ['--conditions=workspace-source', file], {
    cwd: repository,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...overrides(), [stackVariable]: stackFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [tap, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const results = readResults(tap);
  if (code !== 0 && results.failures.length === 0) {
    const details = `${tap}\n${errors}`.trim().split('\n').slice(-20);
    results.failures.push({ name: `${subject} > the process ends with 0, not ${code}`, place: file, details });
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const { passed, failures, notes } = results;
  say(
    `${failures.length === 0 ? 'ok' : 'not ok'} ${subject}: ${passed} passed, ${failures.length} failed (${seconds} s)`,
  );
  for (const note of notes) say(`  ${note}`);
  return { ...results, subject };
}

/** What repeats the requests of a run, or makes it longer. */
function overrides(): NodeJS.ProcessEnv {
  const { CONTRACT_SEED, CONTRACT_RUNS } = process.env;
  return { ...(CONTRACT_SEED && { CONTRACT_SEED }), ...(CONTRACT_RUNS && { CONTRACT_RUNS }) };
}

async function runSubjects(names: readonly string[], stack: Stack): Promise<Run[]> {
  const { folder: stackFolder } = stack.settings;
  const runs: Run[] = [];
  const waiting = names.filter((name) => !last.includes(name));
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      runs.push(await runSubject(name, stackFolder));
  };
  await Promise.all([worker(), worker()]);
  for (const name of names.filter((each) => last.includes(each))) runs.push(await runSubject(name, stackFolder));
  return runs;
}

/** What no subject sees: services that have ended, errors in the log of the box, processes that are left. */
async function checkAfter(stack: Stack): Promise<Failure[]> {
  const names = stack.ended().map((name) => `${name} runs until it is stopped`);
  const errors = await errorsOfBox(stack.settings);
  await stack.stop();
  const left = await processesIn(stack.settings.folder);
  return [
    ...names.map((name) => ({ name: `stack > ${name}`, place: '', details: [] })),
    ...errors.map(({ message, line }) => ({
      name: `stack > the box logs no error that the sources do not log: ${message}`,
      place: '',
      details: [line],
    })),
    ...(left.length > 0 ? [{ name: 'stack > no process is left', place: '', details: left }] : []),
  ];
}

function show({ name, place, details }: Failure, stackFolder: string, isKept: boolean): void {
  const [subject = ''] = name.split(' > ');
  say(`\nnot ok ${name}`);
  if (place !== '') say(`  at ${place}`);
  for (const line of details) say(`  ${line}`);
  const again = isKept ? ` --stack ${stackFolder}` : '';
  if (subject !== 'stack') say(`  alone: npm run test:shipped -- --only ${subject}${again}`);
}

async function main(): Promise<number> {
  const all = await subjects();
  const options = readOptions(process.argv.slice(2), all);
  if (options === null) {
    say(help(all));
    return 0;
  }
  const { only, stack: opened, keep } = options;
  const stackFolder = opened ?? keep ?? (await temporaryFolder('shipped-'));
  const open = opened === undefined ? makeStack : openStack;
  let stack: Stack | undefined;
  const interrupt = async () => {
    await stack?.stop().catch(() => {});
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    stack = await open({ root: repository, folder: stackFolder, say });
    const runs = await runSubjects(only, stack);
    const failures = [...runs.flatMap((run) => run.failures), ...(await checkAfter(stack))];
    const { known, fresh, mended } = sortFailures(
      failures,
      await readKnownFailures(join(folder, 'known-failures.md')),
      only,
    );
    for (const { name } of known) say(`known: ${name}`);
    for (const failure of fresh) show(failure, stackFolder, (opened ?? keep) !== undefined);
    for (const { name, line } of mended) {
      say(`\nnot ok ${name}\n  is mended: remove it from the list (shipped/known-failures.md:${line})`);
    }
    for (const line of runs.flatMap(({ skipped }) => skipped)) say(`skipped: ${line}`);
    const passed = runs.reduce((sum, run) => sum + run.passed, 0);
    const skipped = runs.reduce((sum, run) => sum + run.skipped.length, 0);
    const failed = fresh.length + mended.length;
    say(`\n${passed + known.length} passed, ${failed} failed, ${skipped} skipped`);
    return failed === 0 ? 0 : 1;
  } finally {
    await stack?.stop().catch(() => {});
    if (opened === undefined && keep === undefined) await rm(stackFolder, { recursive: true, force: true });
  }
}

try {
  process.exit(await main());
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
