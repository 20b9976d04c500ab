/**
 * The output of commands. A command reports each event once; implementations present it at a terminal, in a log or as
 * JSON lines.
 */
import type { Failure } from '../failure.ts';

/** The progress of a pull. Sizes are bytes on disk as the registry declares them. */
export interface PullProgress {
  name: string;
  version: string;
  /** Number of packages in place, including this one. */
  done: number;
  total: number;
  bytes: number;
  totalBytes: number;
  /** `pulled` from the registry, or `reused` from an earlier release or an interrupted install. */
  source: 'pulled' | 'reused';
}

export interface Output {
  /** Reports a completed step: event name and facts for `--json`, text for people. */
  info(event: string, text: string, facts?: object): void;
  /** Reports a problem that does not end the command. */
  warn(text: string, facts?: object): void;
  /** Reports a problem that a check has found. */
  problem(text: string, facts?: object): void;
  /** Called often during a pull, with the bytes written so far, including those of unfinished packages. */
  receiving(bytes: number, totalBytes: number): void;
  /** Called when a package is in place. */
  pulled(progress: PullProgress): void;
  /** Called repeatedly during a wait, with the seconds since it began. */
  waiting(text: string, seconds: number): void;
  /** Reports the final result: facts for `--json`, lines for people. */
  result(facts: object, lines: string[], exitCode?: number): void;
  /** Reports the error that ends the command. */
  failure(failure: Failure): void;
}

/** Discards everything, for callers in the same process that need only the returned value. */
export const silent: Output = {
  info() {},
  warn() {},
  problem() {},
  receiving() {},
  pulled() {},
  waiting() {},
  result() {},
  failure() {},
};

/** Formats a number with its noun: `1 order`, `2 orders`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats bytes as `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
