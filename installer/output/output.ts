/**
 * What a command tells while it works. Commands say what happened, once; how it looks (a terminal, a log, JSON lines)
 * is decided by the implementation chosen here, so no command knows who reads it.
 */
import type { Failure } from '../failure.ts';

/** How far the pull has come. Sizes are bytes on disk as the registry declares them. */
export interface PullProgress {
  name: string;
  version: string;
  /** Packages done, this one included, of how many. */
  done: number;
  total: number;
  bytes: number;
  totalBytes: number;
  /** `pulled` from the registry, or `reused` from an earlier release or an interrupted install. */
  source: 'pulled' | 'reused';
}

export interface Output {
  /** Something happened: a word and facts for machines, a sentence for people. */
  say(event: string, text: string, facts?: Record<string, unknown>): void;
  /** Something that needs attention but does not end the command. */
  warn(text: string, facts?: Record<string, unknown>): void;
  /** Called often while packages arrive: bytes on disk so far, those of packages under way included, of how many. */
  receiving(bytes: number, totalBytes: number): void;
  /** One more package is in place. */
  pulled(progress: PullProgress): void;
  /** Called again and again while something is awaited; `seconds` since the wait began. */
  waiting(text: string, seconds: number): void;
  /** The end: what came of it, as facts and as the lines people get. */
  result(facts: object, lines: string[], exitCode?: number): void;
  /** The end, in failure. */
  failure(failure: Failure): void;
}

/** An output that tells nobody: for callers in the same process that only want the returned value. */
export const silent: Output = {
  say() {},
  warn() {},
  receiving() {},
  pulled() {},
  waiting() {},
  result() {},
  failure() {},
};

/** Bytes for people: `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
