/**
 * Runs the tests: `npm test` those of all rules, `npm run test:faults` those under faults, `npm test -- <files>` some.
 * It starts one PostgreSQL server with a template database that has the tables of all packages, and worker processes
 * that each run many test files, in random order. scripts/test-runner/options.ts has the options.
 */
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, resolve } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import { cpuTime } from '../../tools/cpu-time.ts';
import { writeFigures } from '../../tools/figures.ts';
import type { FileResult, LateFailure } from './file-result.ts';
import { commandLine, type Options, optionsOf } from './options.ts';
import { shuffled } from './order.ts';
import { printCounts, printFile, printLate, printSlowest } from './report.ts';
import { startServer } from './server.ts';
import { filesOfSuite, hasOwnProcess, namedFiles } from './suites.ts';
import { runFiles } from './workers.ts';

const root = dirname(sourceRoot);
const roundsOfRaces = '20';
/** They end the run; what it has started ends with it. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Node.js gives an error instead of SIGPIPE. */
type Signal = (typeof signals)[number] | 'SIGPIPE';

function chosenFiles({ suite, names }: Options): string[] {
  if (names.length === 0) return filesOfSuite(suite, root);
  try {
    return namedFiles(names, root);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function main(options: Options): Promise<number> {
  const { suite, names, seed, jobs, times, coverage, figures } = options;
  const files = chosenFiles(options);
  const ending = new AbortController();
  let endedBy: Signal | undefined;
  const endBy = (signal: Signal) => {
    endedBy ??= signal;
    ending.abort();
  };
  for (const signal of signals) process.on(signal, () => endBy(signal));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      endBy('SIGPIPE');
    });
  }
  const server = await startServer();
  if (coverage) await mkdir(coverage, { recursive: true });
  const results: FileResult[] = [];
  const late: LateFailure[] = [];
  try {
    for (let time = 0; time < times && endedBy === undefined; time++) {
      const order = seed + time;
      console.log(`${files.length} files, in the order of --seed ${order}`);
      await runFiles({
        files: shuffled(files, order),
        hasOwnProcess,
        workers: jobs,
        signal: ending.signal,
        nodeOptions: ['--conditions=workspace-source'],
        environment: {
          ...process.env,
          ...server.environment,
          ...(suite === 'faults' && { RACE_ROUNDS: process.env.RACE_ROUNDS ?? roundsOfRaces }),
          ...(coverage && { NODE_V8_COVERAGE: resolve(coverage) }),
        },
        onResult: (result) => {
          results.push(result);
          printFile(result, root, order);
        },
        onLate: (failure) => {
          late.push(failure);
          printLate(failure, root, order);
        },
      });
    }
    if (endedBy !== undefined) {
      console.error(`ended by ${endedBy}: ${results.length} of ${files.length * times} files were run`);
      return 128 + constants.signals[endedBy];
    }
    if (files.length > 1) printSlowest(results);
    return printCounts(results, late) ? 0 : 1;
  } finally {
    await server.stop();
    if (figures) {
      const passed = results.flatMap(({ asserts }) => asserts).filter(({ ok, skip }) => ok && skip === false).length;
      const complete = names.length === 0 && results.length === files.length;
      await writeFigures(figures, { suite, complete, passed, cpuSeconds: cpuTime(), files: results });
    }
  }
}

await runCommand(commandLine, (passed) => main(optionsOf(passed)));
