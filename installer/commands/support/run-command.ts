/**
 * Handling of signals and of the exit status, for all commands.
 */
import { asFailure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';

/** Runs a command and sets the exit status it returns; an error is reported and sets its own. */
export async function runCommand(output: Output, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const failure = asFailure(error);
    output.failure(failure);
    process.exitCode = failure.exitCode;
  }
}

/** Returns a signal that aborts at the first SIGINT, SIGTERM or SIGHUP, so that the command can clean up. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  onSignals(() => controller.abort());
  return controller.signal;
}

/** Calls `react` for each SIGINT, SIGTERM and SIGHUP; the process no longer ends by them. */
export function onSignals(react: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, react);
}
