/**
 * What a run of the tests finds.
 */
import type { AssertResult } from './tap.ts';

/** What became of a test file. */
export interface FileResult {
  file: string;
  ok: boolean;
  asserts: AssertResult[];
  /** What its tests have said. */
  comments: string[];
  /** What it has written to standard output, the last of it. */
  output: string;
  /** The files that its process had run before, in this order. */
  before: readonly string[];
  cpuSeconds: number;
  wallSeconds: number;
}

/** A failure after the end of its file: the file may have passed. */
export interface LateFailure {
  name: string;
  stack: string;
  /** The files that it may come from, the likeliest first. */
  files: readonly string[];
  /** Whether it comes from the first of them. */
  isKnown: boolean;
}
