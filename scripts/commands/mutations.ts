/**
 * `npm run mutations`: breaks rules of the product on purpose, one at a time, and expects that a test notices each.
 */
import { join, resolve } from 'node:path';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import { mutationList } from '../../tools/mutations/list/index.ts';
import { checkMutations, selectMutations } from '../../tools/mutations/mutation.ts';
import { summaryOf, tableOf } from '../../tools/mutations/report.ts';

const subjects = Object.keys(mutationList);
const help = `Usage: npm run mutations -- [options]

Applies each mutation of tools/mutations/list to a copy of the sources, and runs the test files that must fail with it by
an assertion. Prints a table, and ends with one line of JSON.

  --only <text>    a subject (${subjects.join(', ')}) or a part of a rule; may be repeated
  --base <folder>  another checkout with its packages installed, such as that of an older commit; default: this one
  --jobs <number>  test files that run at the same time (2)
  --help           this text

Exit codes: 0 each mutation was noticed, 1 one was not, a test fails without any, or the list does not fit the sources, 2 wrong usage.`;

const options = {
  only: { type: 'string', multiple: true, default: [] as string[] },
  base: { type: 'string' },
  jobs: { type: 'string', default: '2' },
} as const;

await runCommand({ name: 'npm run mutations', help, options }, async ({ values }) => {
  const { only, base, jobs } = values;
  if (!/^[1-9]\d?$/.test(jobs)) throw new UsageError('--jobs is not a number from 1 to 99');
  const mutations = selectMutations(mutationList, only);
  if (mutations.length === 0)
    throw new UsageError(`no mutation has ${only.join(' or ')} in its rule or as its subject`);
  const checkout = base === undefined ? join(import.meta.dirname, '../..') : resolve(base);
  const { fitting, outdated } = await checkMutations(mutations, checkout);
  if (outdated.length > 0) console.error(`The list of mutations does not fit the sources:\n${outdated.join('\n')}`);
  if (fitting.length === 0) return 1;
  // It loads the engine, which takes longer than all of the above.
  const { runMutations } = await import('../../tools/mutations/run.ts');
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  const { signal } = stopping;
  const progress = (line: string) => console.log(line);
  const result = await runMutations(fitting, { checkout, jobs: Number(jobs), progress, signal });
  for (const { file, failure } of result.failing) console.error(`${file} fails without a mutation: ${failure}`);
  const summary = { ...summaryOf(result), outdated };
  console.log(`\n${tableOf(result)}\n`);
  console.log(JSON.stringify(summary));
  return summary.red === mutations.length ? 0 : 1;
});
