/**
 * What the command lines of all commands share: signals in, exit status out.
 */
import { asFailure } from '../failure.ts';
import type { Output } from '../output/output.ts';

/** Does the work and sets the exit status it returns; a failure is told and sets its own. */
export async function endWith(output: Output, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const failure = asFailure(error);
    output.failure(failure);
    process.exitCode = failure.exitCode;
  }
}

/** A signal that aborts at the first SIGINT, SIGTERM or SIGHUP, so that the command can clean up and end. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  onSignals(() => controller.abort());
  return controller.signal;
}

/** Calls back for each of the signals that ask a command to end, in place of ending at once. */
export function onSignals(react: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, react);
}
