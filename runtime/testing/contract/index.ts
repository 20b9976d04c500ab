/**
 * The contract suite: checks every route of a running service against its declaration, without a test for each route.
 */
import { randomInt } from 'node:crypto';
import { ContractClient } from './client.ts';
import { checkCredentials } from './credentials.ts';
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
export type { LimitedCaller, Side, Target } from './target.ts';

export interface ContractOptions {
  /** The same seed draws the same requests. Default: `CONTRACT_SEED`, or a random one. */
  seed?: number;
  /** Fuzzed requests for each route. Default: `CONTRACT_RUNS`, or 40. */
  runs?: number;
  /** Only walks the routes and checks access and protocol, for a service whose routes are fuzzed elsewhere. */
  quick?: boolean;
}

/**
 * Checks every route of a service.
 * @example const result = await checkContract(await boxTarget(await createTestBox(t)));
 *          t.strictSame(result.failures, []);
 */
export async function checkContract(target: Target, options: ContractOptions = {}): Promise<ContractResult> {
  const {
    seed = Number(process.env.CONTRACT_SEED ?? randomInt(2 ** 31)),
    runs = Number(process.env.CONTRACT_RUNS ?? 40),
  } = options;
  const report = new Report(seed);
  const client = new ContractClient(target, report);
  try {
    client.unmarked = await target.rows.uniqueColumns();
    await walk(client, options.quick ? 2 : 9);
    await learnIds(client);
    await checkCredentials(client);
    await checkProtocol(client);
    if (!options.quick) {
      await checkValidation(client);
      await checkIsolation(client);
      await fuzz(client, runs);
    }
  } finally {
    client.close();
  }
  return report.result(target.declarations);
}
