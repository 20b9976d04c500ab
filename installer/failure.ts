/**
 * The one error type that commands throw on purpose: what went wrong, what to do about it, and how to exit.
 */
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** A foreseen end of a command. `message` says what happened, `advice` what to do; both are one line each. */
export class Failure extends Error {
  readonly code: ExitCode;
  readonly advice: string;
  /** Facts for machines that the message tells in words, such as the control plane's own code. */
  readonly facts: Record<string, unknown>;

  constructor(code: ExitCode, message: string, advice = '', facts: Record<string, unknown> = {}) {
    super(oneLine(message));
    this.name = 'Failure';
    this.code = code;
    this.advice = oneLine(advice);
    this.facts = facts;
  }

  /** The process's exit status. */
  get exitCode(): number {
    return exitCodes[this.code].status;
  }
}

/**
 * Any thrown value as a Failure. A full disk can show anywhere a file is written, so it is recognised here; everything
 * else that is not a Failure already is `unexpected`.
 */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, message, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Failure('disk_full', 'the disk is full', 'Free some space and run the same command again');
  }
  if ((code === 'EACCES' || code === 'EPERM' || code === 'EROFS') && path) {
    return new Failure(
      'folder_unusable',
      `${path} cannot be written (${code})`,
      'Run as the user the folder belongs to',
    );
  }
  const { stack } = error as Error;
  return new Failure('unexpected', message || String(error), 'Run it with --json to see where', { stack });
}

/** Runs a command's work so that whatever it throws is a Failure. */
export async function endingClearly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFailure(error);
  }
}

/** The failure of a command whose signal was aborted: by Ctrl-C, or by the program that called it. */
export function interrupted(advice = 'Run the same command again to go on from there'): Failure {
  return new Failure('interrupted', 'interrupted', advice);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
