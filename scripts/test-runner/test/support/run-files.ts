/**
 * Runs the test files of test-run/ as `npm test` runs files, in one worker.
 */
import type { FileResult, LateFailure } from '../../file-result.ts';
import { runFiles } from '../../workers.ts';

export const pathOf = (name: string) => `scripts/test-runner/test/support/test-run/${name}.ts`;

export interface Outcome {
  results: FileResult[];
  late: LateFailure[];
}

/** Runs these files in this order, in one worker while none ends it. */
export async function runInOne(...names: string[]): Promise<Outcome> {
  const results: FileResult[] = [];
  const late: LateFailure[] = [];
  await runFiles({
    files: names.map(pathOf),
    hasOwnProcess: () => false,
    workers: 1,
    nodeOptions: ['--conditions=workspace-source'],
    environment: { ...process.env, npm_config_loglevel: 'silent' },
    onResult: (result) => results.push(result),
    onLate: (failure) => late.push(failure),
  });
  return { results, late };
}

/** The names of a file's failures. */
export const failuresOf = ({ asserts }: FileResult) => asserts.filter(({ ok }) => !ok).map(({ name }) => name);
