/**
 * The contract suite: every route of a running service held against its declaration, without a case written for any.
 */
import { randomInt } from 'node:crypto';
import { checkCredentials } from './credentials.ts';
import { Examiner } from './examiner.ts';
import { fuzz } from './fuzz.ts';
import { checkIsolation, learnIds } from './isolation.ts';
import { checkProtocol } from './protocol.ts';
import { type ContractResult, Report } from './report.ts';
import type { Target } from './target.ts';
import { checkValidation } from './validation.ts';
import { walk } from './walk.ts';

export { boxTarget } from './box.ts';
export { type ContractResult, summaryOf } from './report.ts';
export { openRows } from './rows.ts';
export type { Side, Target, WeakCaller } from './target.ts';

export interface ContractOptions {
  /** The same seed draws the same requests; `CONTRACT_SEED`, or a new one. */
  seed?: number;
  /** Fuzzed requests a route; `CONTRACT_RUNS`, or 40. */
  runs?: number;
  /** Only walk the routes and ask who may call them, for a service whose routes are fuzzed elsewhere. */
  quick?: boolean;
}

/**
 * Walks every route of a service and answers what it found.
 * @example const result = await holdContract(await boxTarget(await createTestBox(t)));
 *          t.strictSame(result.failures, []);
 */
export async function holdContract(target: Target, options: ContractOptions = {}): Promise<ContractResult> {
  const {
    seed = Number(process.env.CONTRACT_SEED ?? randomInt(2 ** 31)),
    runs = Number(process.env.CONTRACT_RUNS ?? 40),
  } = options;
  const report = new Report(seed);
  const examiner = new Examiner(target, report);
  try {
    examiner.unmarked = await target.rows.uniqueColumns();
    await walk(examiner, options.quick ? 2 : 9);
    await learnIds(examiner);
    await checkCredentials(examiner);
    await checkProtocol(examiner);
    if (!options.quick) {
      await checkValidation(examiner);
      await checkIsolation(examiner);
      await fuzz(examiner, runs);
    }
  } finally {
    examiner.close();
  }
  return report.result(target.declarations);
}
