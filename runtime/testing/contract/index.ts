/**
 * The contract suite: checks every route of a running service against its declaration, without a test for each route.
 */
import { randomInt } from 'node:crypto';
import { ContractClient } from './client.ts';
import { checkCredentials } from './credentials.ts';
import { checkExamples, type ExampleDocument } from './examples.ts';
import { fuzz } from './fuzz.ts';
import { checkIsolation, learnIds } from './isolation.ts';
import { checkProtocol } from './protocol.ts';
import { type ContractResult, Report } from './report.ts';
import type { Target } from './target.ts';
import { checkValidation } from './validation.ts';
import { walk } from './walk.ts';

export { type BoxTargetOptions, boxTarget, type ContractBox } from './box.ts';
export type { ExampleDocument } from './examples.ts';
export { type ContractResult, summaryOf } from './report.ts';
export { openRows } from './rows.ts';
export type { LimitedCaller, Side, Target } from './target.ts';
export { type Sender, Wire, type WireRequest, type WireResponse } from './wire.ts';

export interface ContractOptions {
  /** The same seed draws the same requests. Default: `CONTRACT_SEED`, or a random one. */
  seed?: number;
  /** Fuzzed requests for each route. Default: `CONTRACT_RUNS`, or 40. */
  runs?: number;
  /** Only walks the routes and checks access and protocol, for a service whose routes are fuzzed elsewhere. */
  quick?: boolean;
  /** Rounds in which valid requests are sent, at most. Default: 9, or 2 if `quick`. */
  rounds?: number;
  /** Parts to leave out, for a service whose sources are checked with them elsewhere. */
  leaveOut?: readonly Part[];
  /** The document of the service, whose examples are then sent too. */
  document?: ExampleDocument;
}

/** The parts of the suite after the routes have been walked. */
export type Part = 'credentials' | 'protocol' | 'validation' | 'isolation' | 'fuzz';

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
    await walk(client, options.rounds ?? (options.quick ? 2 : 9));
    await learnIds(client);
    const parts: Record<Part, () => Promise<void>> = {
      credentials: () => checkCredentials(client),
      protocol: () => checkProtocol(client),
      validation: () => checkValidation(client),
      isolation: () => checkIsolation(client),
      fuzz: () => fuzz(client, runs),
    };
    const leftOut = new Set<string>(options.leaveOut ?? (options.quick ? ['validation', 'isolation', 'fuzz'] : []));
    if (options.document) await checkExamples(client, options.document);
    for (const [part, check] of Object.entries(parts)) if (!leftOut.has(part)) await check();
  } finally {
    client.close();
  }
  return report.result(target.declarations);
}
