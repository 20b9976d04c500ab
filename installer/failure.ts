/**
 * The error type of all commands: what went wrong, what to do about it, and the exit code.
 */
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** An expected error. `message` says what happened, `advice` what to do; each is one line. */
export class Failure extends Error {
  readonly code: ExitCode;
  readonly advice: string;
  /** Further members of the JSON error, such as the control plane's problem code. */
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
 * Converts any thrown value to a Failure. A full disk, a file that is not writable and limits of the system can fail any
 * call, so they are recognised here; all other errors are `unexpected`.
 */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, message, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Failure('disk_full', 'the disk is full', 'Free some space, then run the command again');
  }
  if ((code === 'EACCES' || code === 'EPERM' || code === 'EROFS') && path) {
    return new Failure(
      'folder_unusable',
      `${path} is not writable (${code})`,
      'Run the command as the owner of the folder',
    );
  }
  if (code === 'ENAMETOOLONG' || code === 'ELOOP') {
    const advice = 'Choose a folder with a shorter path with --dir';
    return new Failure('folder_unusable', `the path of the folder cannot be used (${code})`, advice);
  }
  if (code === 'EMFILE' || code === 'ENFILE') return tooFewFiles();
  const { stack } = error as Error;
  return new Failure('unexpected', message || String(error), 'Run the command with --json for the stack trace', {
    stack,
  });
}

/** The failure of a command or a box that may not open enough files. */
export function tooFewFiles(code: ExitCode = 'unexpected', facts: Record<string, unknown> = {}): Failure {
  const message = 'too many open files: the limit of this user or of the machine is too low';
  return new Failure(code, message, 'Raise it to 1024 or more, with ulimit -n, then run the command again', facts);
}

/** Runs work and rethrows every error as a Failure. */
export async function rethrowAsFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFailure(error);
  }
}

/** Returns the failure of a command whose signal was aborted: by Ctrl-C, or by the calling program. */
export function interrupted(advice = 'Run the command again to resume'): Failure {
  return new Failure('interrupted', 'interrupted', advice);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
