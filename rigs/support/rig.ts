/**
 * A rig: a fault injection test with real processes, under kills, crashes and load, that reports which promises broke.
 */

/** The result of a rig. */
export interface Findings {
  /** One line for each broken promise. */
  broken: string[];
  /** Counts and measurements by name. */
  counts: Record<string, number>;
}

export interface RigOption {
  about: string;
  defaultValue: string;
  /** The default in the short form, if it differs. */
  short?: string;
  /** The allowed values; without them, a whole number. */
  oneOf?: readonly string[];
  /** The value is the path of a folder; empty by default. */
  isFolder?: boolean;
}

export interface Rig {
  /** What it tests, in one line. */
  about: string;
  /** Options by their names on the command line. */
  options: Record<string, RigOption>;
  /** Seconds after which it fails on an idle machine; on a busy one it may take longer (`stage.ts`). */
  timeLimit: (stage: Stage) => number;
  run(stage: Stage): Promise<Findings>;
}

/** What a rig runs with: its folder, its options, its output, and what to stop at the end. */
export interface Stage {
  /** A temporary folder, removed at the end. */
  readonly folder: string;
  /** Whether the short form is running. */
  readonly short: boolean;
  /** Aborted when the rig is interrupted or exceeds its time limit. */
  readonly signal: AbortSignal;
  number(option: string): number;
  word(option: string): string;
  /** Reports progress. */
  say(text: string): void;
  /** Registers what to stop when the rig ends, however it ends; in reverse order. */
  atEnd(what: string, stop: () => unknown): void;
}

/** The machine lacks something that the rig needs; the message says what to install. */
export class Skipped extends Error {}

/** @throws Skipped if something is missing, which the reason names */
export function skipWithout(reason: string | false | null): void {
  if (reason) throw new Skipped(reason);
}

/** Wrong usage of the command. */
export class UsageError extends Error {}
