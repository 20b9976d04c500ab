/**
 * Runs subjects, each in a process of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repository } from '../tools/packages/sources.ts';
import { confirmedBy, isDifference } from './report/confirmed.ts';
import { type Results, readResults } from './report/results.ts';
import type { SpentTime } from './report/spent.ts';
import { stackVariable } from './stage.ts';

const folder = join(repository, 'shipped', 'subjects');

/** The longest one begins. */
const first = ['operations'];
/** Those that change settings of the box or stop it: one after another, when the others have ended. */
const last = ['services', 'attacks', 'command'];
/** Subjects at the same time. */
const jobs = 2;

/** The names of all subjects, in the order in which they run. */
export async function listSubjects(): Promise<string[]> {
  const names = (await readdir(folder)).flatMap((file) => /^(.+)\.ts$/.exec(file)?.[1] ?? []).sort();
  const placeOf = (name: string) => (first.includes(name) ? -1 : last.indexOf(name) + 1);
  return names.sort((one, other) => placeOf(one) - placeOf(other));
}

export interface RunOptions {
  stackFolder: string;
  spent: SpentTime;
  say(line: string): void;
}

/** Resolves to the results of all, in the order in which they ended. */
export async function runSubjects(names: readonly string[], options: RunOptions): Promise<Results[]> {
  const results: Results[] = [];
  const waiting = names.filter((name) => !last.includes(name));
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      results.push(await runSubject(name, options));
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const name of names.filter((each) => last.includes(each))) results.push(await runSubject(name, options));
  return results;
}

async function runSubject(subject: string, options: RunOptions): Promise<Results> {
  const results = await runOnce(subject, options);
  const differences = results.failures.filter(isDifference);
  if (differences.length === 0) return results;
  for (const { name } of differences) options.say(`  to be confirmed: ${name}`);
  return confirmedBy(results, await runOnce(subject, options));
}

async function runOnce(subject: string, { stackFolder, spent, say }: RunOptions): Promise<Results> {
  const began = performance.now();
  const file = join('shipped', 'subjects', `${subject}.ts`);
  const measured = spent.start(file);
  const child = spawn(process.execPath, ['--conditions=workspace-source', file], {
    cwd: repository,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settingsOfContractSuite(), [stackVariable]: stackFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.once('exit', measured);
  const [tap, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const results = readResults(tap);
  if (code !== 0 && results.failures.length === 0) {
    const details = `${tap}\n${errors}`.trim().split('\n').slice(-20);
    results.failures.push({ name: `${subject} > the process ends with 0, not ${code}`, place: file, details });
  }
  const { passed, failures, notes } = results;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const outcome = failures.length === 0 ? 'ok' : 'not ok';
  say(`${outcome} ${subject}: ${passed} passed, ${failures.length} failed (${seconds} s)`);
  for (const line of notes) say(`  ${line}`);
  return results;
}

/** What draws other requests, or more. */
function settingsOfContractSuite(): NodeJS.ProcessEnv {
  const { CONTRACT_SEED, CONTRACT_RUNS } = process.env;
  return { ...(CONTRACT_SEED && { CONTRACT_SEED }), ...(CONTRACT_RUNS && { CONTRACT_RUNS }) };
}
