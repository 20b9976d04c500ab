/**
 * What a rig is: a trial of promises under kills, crashes and load, with real processes, that says which of them broke.
 */

/** What a rig found. */
export interface Findings {
  /** One line for each promise that was broken; none when all held. */
  broken: string[];
  /** Everything that was counted or measured, by name. */
  counts: Record<string, number>;
}

export interface RigOption {
  about: string;
  usual: string;
  /** What it is in a rig's short form; the usual unless given. */
  short?: string;
  /** What it may be; a whole number unless given. */
  oneOf?: readonly string[];
}

export interface Rig {
  /** What it tries, in one line. */
  about: string;
  /** Whole numbers or words, by the name they have on the command line. */
  options: Record<string, RigOption>;
  /** Seconds after which it is stopped as a failure: it has to end by itself before. */
  longest: (stage: Stage) => number;
  run(stage: Stage): Promise<Findings>;
}

/** Where a rig runs: its folder, its options, its way to tell, and the end of all it starts. */
export interface Stage {
  /** A folder of its own, which is removed at the end. */
  readonly folder: string;
  /** The short form was asked for. */
  readonly short: boolean;
  /** Aborted when the rig is interrupted or out of time. */
  readonly signal: AbortSignal;
  number(option: string): number;
  word(option: string): string;
  /** Tells how far it has come. */
  say(text: string): void;
  /** Has this stopped when the rig ends, however it ends: what was started last, first. */
  atEnd(what: string, stop: () => unknown): void;
}

/** The machine lacks what a rig needs: it is passed over, with a word on what to do. */
export class Skipped extends Error {}

/** The one command that starts rigs was used wrongly. */
export class UsageError extends Error {}
