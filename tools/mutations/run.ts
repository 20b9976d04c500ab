/**
 * Runs mutations of a checkout: each in a copy, with the test files that must fail.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import { copyCheckout } from './copy.ts';
import { type ListedMutation, mutate } from './mutation.ts';
import { type MutationServer, startMutationServer } from './server.ts';
import { runTestFile, type TestOutcome } from './test-run.ts';

export interface MutationOutcome {
  mutation: ListedMutation;
  /** `red` if each of its test files is. */
  state: TestOutcome['state'];
  outcomes: readonly TestOutcome[];
  seconds: number;
}

export interface RunOptions {
  checkout: string;
  /** How many test files run at the same time, each in a copy of its own. */
  jobs: number;
  /** Called after each test file without a mutation, and after each mutation. */
  progress(line: string): void;
  /** Ends the run. */
  signal: AbortSignal;
}

export interface RunResult {
  /** Test files that fail without a mutation. */
  failing: readonly TestOutcome[];
  /** Without those whose test files fail anyway. */
  mutations: readonly MutationOutcome[];
}

/** @throws AbortError after the signal */
export async function runMutations(
  mutations: readonly ListedMutation[],
  { checkout, jobs, progress, signal }: RunOptions,
): Promise<RunResult> {
  const folder = await temporaryFolder('mutations-');
  let server: MutationServer | undefined;
  try {
    const copies = Array.from({ length: Math.min(jobs, mutations.length) }, (_, at) => join(folder, `copy-${at}`));
    for (const copy of copies) await copyCheckout(checkout, copy);
    server = await startMutationServer(folder);
    const template = await server.createTemplate(copies[0] as string);
    const bench: Bench = { server, template, progress, signal };
    const files = [...new Set(mutations.flatMap(({ tests }) => tests))];
    const before = await inCopies(copies, files, (file, copy) => runUnchanged(bench, copy, file));
    const failing = before.filter(({ state }) => state !== 'green');
    const usable = mutations.filter(({ tests }) => !failing.some(({ file }) => tests.includes(file)));
    return { failing, mutations: await inCopies(copies, usable, (each, copy) => runMutation(bench, copy, each)) };
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Bench extends Pick<RunOptions, 'progress' | 'signal'> {
  server: MutationServer;
  /** Of the sources as they are. */
  template: string;
}

/** Does work for each item, one at a time in each copy. Returns the results in the order of the items. */
async function inCopies<Item, Result>(
  copies: readonly string[],
  items: readonly Item[],
  work: (item: Item, copy: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const workers = copies.map(async (copy) => {
    for (const [at, item] of left) results[at] = await work(item, copy);
  });
  await Promise.all(workers);
  return results;
}

async function runUnchanged(
  { server, template, progress, signal }: Bench,
  copy: string,
  file: string,
): Promise<TestOutcome> {
  const outcome = await runTestFile(copy, file, server.environment(template), signal);
  progress(`unchanged ${outcome.state.padEnd(6)} ${file}`);
  return outcome;
}

async function runMutation(
  { server, template, progress, signal }: Bench,
  copy: string,
  mutation: ListedMutation,
): Promise<MutationOutcome> {
  const begin = performance.now();
  const path = join(copy, mutation.file);
  const source = await readFile(path, 'utf8');
  await writeFile(path, mutate(source, mutation));
  let own: string | undefined;
  const outcomes: TestOutcome[] = [];
  try {
    own = mutation.ownTemplate && (await server.createTemplate(copy));
    const environment = server.environment(own ?? template);
    for (const file of mutation.tests) outcomes.push(await runTestFile(copy, file, environment, signal));
  } finally {
    await writeFile(path, source);
    if (own !== undefined) await server.dropTemplate(own);
  }
  const state = (['broken', 'green'] as const).find((each) => outcomes.some((outcome) => outcome.state === each));
  const seconds = Math.round((performance.now() - begin) / 100) / 10;
  progress(`${(state ?? 'red').padEnd(6)} ${mutation.subject}: ${mutation.rule} (${seconds} s)`);
  return { mutation, state: state ?? 'red', outcomes, seconds };
}
