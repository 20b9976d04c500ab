/**
 * Runs test files one after the other, each in a process of its own as tap runs them, and reads what they report.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Parser } from 'tap-parser';

/** Minutes after which a test file is ended. */
const longestMinutes = 5;

export interface TestOutcome {
  file: string;
  /**
   * `red`: an assertion failed. `broken`: no assertion failed, and the file did not succeed either: it could not be
   * imported, threw, or took too long.
   */
  state: 'green' | 'red' | 'broken';
  /** The first failure, with its place; null if there is none. */
  failure: string | null;
}

interface Diagnostics {
  at?: { fileName?: string; lineNumber?: number };
  /** Set by tap for what a test has thrown. */
  tapCaught?: string;
}

interface Assertion {
  ok: boolean;
  fullname: string;
  diag?: Diagnostics | null;
  todo?: unknown;
  skip?: unknown;
}

/**
 * Runs a test file in the root of a checkout.
 * @param signal ends the file
 * @throws AbortError after the signal
 */
export async function runTestFile(
  checkout: string,
  file: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<TestOutcome> {
  const child = spawn(process.execPath, ['--conditions=workspace-source', file], {
    cwd: checkout,
    env: { ...environment, TAP_TIMEOUT: String(longestMinutes * 60) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: (longestMinutes + 1) * 60_000,
    killSignal: 'SIGKILL',
    signal,
  });
  const [tap, log, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { file, ...readOutcome(tap, log, code) };
}

/** @param code null for a process that was killed */
export function readOutcome(tap: string, log: string, code: number | null): Pick<TestOutcome, 'state' | 'failure'> {
  const failed = Parser.parse(tap, { flat: true })
    .flatMap(([kind, result]) => (kind === 'assert' ? [result as unknown as Assertion] : []))
    .filter(({ ok, todo, skip }) => !ok && !todo && !skip);
  const assertion = failed.find(({ diag }) => diag?.at && !diag.tapCaught);
  if (assertion) return { state: 'red', failure: describe(assertion) };
  if (code === 0) return { state: 'green', failure: null };
  const [first] = failed;
  return { state: 'broken', failure: first ? describe(first) : (errorIn(log) ?? `exit code ${code}`) };
}

function describe({ fullname, diag }: Assertion): string {
  const { fileName, lineNumber } = diag?.at ?? {};
  return fileName ? `${fullname} (${fileName}:${lineNumber})` : fullname;
}

function errorIn(log: string): string | undefined {
  return log.split('\n').find((line) => /^\w*Error\b/.test(line));
}
