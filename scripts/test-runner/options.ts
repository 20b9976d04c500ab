/**
 * The command line of the tests.
 */
import { availableParallelism } from 'node:os';
import { type readCommandLine, UsageError } from '../../tools/command-line.ts';
import { checkFiguresPath } from '../../tools/figures.ts';
import type { Suite } from './suites.ts';

const help = `Usage: npm test -- [options] [files or folders]
       npm run test:faults -- [options]

Without files, runs a whole suite. Starts a PostgreSQL server of its own, unless
TEST_DATABASE_URL names one whose user may create databases. There it creates
databases named test_…, and drops those alone.

Options:
  --seed <number>     order in which the files start; which of them share a
                      process is chance, except with --jobs 1
  --jobs <number>     files at the same time (default: one more than there are
                      processors, since tests also wait)
  --times <number>    runs everything this often, one after another
  --coverage <folder> measures the coverage of the code into this folder, for
                      npm run test:coverage -- <folder>
  --figures <file>    writes where the time went to this file, as JSON
  --help              prints this text

Variables: TEST_LOG_LEVEL=debug prints the log of the boxes; CONTRACT_SEED and
CONTRACT_RUNS are for the contract suite, RACE_ROUNDS for the tests of races,
CART_RUNS for the test that compares the documents of arbitrary carts.
TEST_PROGRAMS=required fails the tests that lack a program.

Exit codes: 0 all passed, 1 a test failed, 2 wrong usage; 130 ended by Ctrl-C,
and 128 plus the number of another signal, which is SIGPIPE if nothing reads
the output any more.`;

export interface Options {
  suite: Suite;
  names: string[];
  seed: number;
  jobs: number;
  times: number;
  coverage: string | undefined;
  figures: string | undefined;
}

const text = { type: 'string' } as const;

export const commandLine = {
  name: 'npm test',
  help,
  most: Number.POSITIVE_INFINITY,
  options: {
    suite: { type: 'string', default: 'rules' },
    seed: text,
    jobs: text,
    times: text,
    coverage: text,
    figures: text,
  },
} as const;

type Passed = NonNullable<ReturnType<typeof readCommandLine<typeof commandLine.options>>>;

/** What was passed, as `readCommandLine` returns it. @throws UsageError that says what is wrong with it */
export function optionsOf({ values, positionals }: Passed): Options {
  if (values.figures !== undefined) {
    try {
      checkFiguresPath(values.figures);
    } catch (error) {
      throw new UsageError((error as Error).message);
    }
  }
  if (values.suite !== 'rules' && values.suite !== 'faults') throw new UsageError(`there is no suite ${values.suite}`);
  return {
    suite: values.suite,
    names: positionals,
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 1_000_000),
    jobs: wholeNumber('jobs', values.jobs, 1) ?? availableParallelism() + 1,
    times: wholeNumber('times', values.times, 1) ?? 1,
    coverage: values.coverage,
    figures: values.figures,
  };
}

function wholeNumber(name: string, value: string | undefined, lowest = 0): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value) || Number(value) < lowest) {
    throw new UsageError(`--${name} takes a whole number of at least ${lowest}`);
  }
  return Number(value);
}
