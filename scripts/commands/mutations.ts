/**
 * `npm run mutations`: breaks rules of the product on purpose, one at a time, and expects that a test notices each.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutationList } from '../../tools/mutations/list/index.ts';
import { checkMutations, selectMutations } from '../../tools/mutations/mutation.ts';
import { summaryOf, tableOf } from '../../tools/mutations/report.ts';

const subjects = Object.keys(mutationList);
const help = `npm run mutations -- [options]

Applies each mutation of tools/mutations/list to a copy of the sources, and runs the test files that must fail with it by
an assertion. Prints a table, and ends with one line of JSON.

  --only <text>    a subject (${subjects.join(', ')}) or a part of a rule; may be repeated
  --base <folder>  another checkout with its packages installed, such as that of an older commit; default: this one
  --jobs <number>  test files that run at the same time (2)
  --help           this text

Exit codes: 0 each mutation was noticed, 1 one was not, a test fails without any, or the list does not fit the sources, 2 wrong usage.`;

class UsageError extends Error {}

function readParameters() {
  const options = {
    only: { type: 'string', multiple: true },
    base: { type: 'string' },
    jobs: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  try {
    const { only = [], base, jobs = '2', help: isHelp } = parseArgs({ options }).values;
    if (!/^[1-9]\d?$/.test(jobs)) throw new UsageError('--jobs is not a number from 1 to 99');
    const mutations = selectMutations(mutationList, only);
    if (mutations.length === 0)
      throw new UsageError(`no mutation has ${only.join(' or ')} in its rule or as its subject`);
    const own = join(import.meta.dirname, '../..');
    return { isHelp, mutations, checkout: base === undefined ? own : resolve(base), jobs: Number(jobs) };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

async function main(): Promise<number> {
  const { isHelp, mutations, ...options } = readParameters();
  if (isHelp) {
    console.log(help);
    return 0;
  }
  const { fitting, outdated } = await checkMutations(mutations, options.checkout);
  if (outdated.length > 0) console.error(`The list of mutations does not fit the sources:\n${outdated.join('\n')}`);
  if (fitting.length === 0) return 1;
  // It loads the engine, which takes longer than all of the above.
  const { runMutations } = await import('../../tools/mutations/run.ts');
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const { signal } = stopping;
  const result = await runMutations(fitting, { ...options, progress: (line) => console.log(line), signal });
  for (const { file, failure } of result.failing) console.error(`${file} fails without a mutation: ${failure}`);
  const summary = { ...summaryOf(result), outdated };
  console.log(`\n${tableOf(result)}\n`);
  console.log(JSON.stringify(summary));
  return summary.red === mutations.length ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  console.error(`mutations: ${(error as Error).message}`);
  if (error instanceof UsageError) console.error(`\n${help}`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
