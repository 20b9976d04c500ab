/**
 * The exit status of a child process.
 */
import type { ChildProcess } from 'node:child_process';

/** The exit status of a process; for one ended by a signal, 128 + the signal's number, as in shells. */
export type ExitStatus = number;

const signalNumbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** The exit status of a process that was ended by SIGTERM. */
export const terminated: ExitStatus = 128 + 15;

/** Returns the exit status of a process that has exited; undefined for one that runs. */
export function statusOf({ exitCode, signalCode }: ChildProcess): ExitStatus | undefined {
  return exitCode ?? (signalCode ? 128 + (signalNumbers[signalCode] ?? 0) : undefined);
}

/** Waits until a process has exited. */
export function exitOf(child: ChildProcess): Promise<ExitStatus> {
  const already = statusOf(child);
  if (already !== undefined) return Promise.resolve(already);
  return new Promise((resolve) => child.once('exit', () => resolve(statusOf(child) ?? 1)));
}
