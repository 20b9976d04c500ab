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
import type { Only, Target } from './target.ts';
import { checkValidation } from './validation.ts';
import { walk } from './walk.ts';

export { type BoxTargetOptions, boxTarget, type ContractBox, logInAgain } from './box.ts';
export type { ExampleDocument } from './examples.ts';
export { type ContractResult, summaryOf } from './report.ts';
export { openRows } from './rows.ts';
export type { LimitedCaller, Only, Side, Target } from './target.ts';
export { type Sender, Wire, type WireRequest, type WireResponse } from './wire.ts';

export interface ContractOptions {
  /** The same seed draws the same requests. Default: `CONTRACT_SEED`, or a random one. */
  seed?: number;
  /** Fuzzed requests for each route. Default: `CONTRACT_RUNS`, or 40. */
  runs?: number;
  /** For a service whose other routes are checked elsewhere: those that this run calls, and of them those it checks. */
  only?: Only;
  /** Rounds in which valid requests are sent, at most. Default: 9, or 2 with `only`. */
  rounds?: number;
  /** Parts to leave out, for a service whose sources are checked with them elsewhere. Default with `only`: isolation. */
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
    only,
  } = options;
  const report = new Report(seed);
  const client = new ContractClient(target, report, only);
  try {
    client.unmarked = await target.rows.uniqueColumns();
    // Isolation is between two sides that have called the routes.
    const leftOut = new Set<string>(options.leaveOut ?? (only ? ['isolation'] : []));
    const sides = leftOut.has('isolation') ? [target.sides[0]] : target.sides;
    await walk(client, { sides, maxRounds: options.rounds ?? (only ? 2 : 9) });
    for (const side of target.sides) await target.finished?.(side);
    await learnIds(client);
    const parts: Record<Part, () => Promise<void>> = {
      credentials: () => checkCredentials(client),
      protocol: () => checkProtocol(client),
      validation: () => checkValidation(client),
      isolation: () => checkIsolation(client),
      fuzz: () => fuzz(client, runs),
    };
    if (options.document) await checkExamples(client, options.document);
    for (const [part, check] of Object.entries(parts)) if (!leftOut.has(part)) await check();
  } finally {
    client.close();
  }
  return report.result(client.called);
}
