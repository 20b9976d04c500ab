/**
 * What a measurement answers, and how figures of several rounds become one.
 */

/** What a measurement found: its own figure beside a named peer's from the same run. */
export interface Measurement {
  name: string;
  /** The box's side divided by the peer's, as the measurement defines it. */
  ratio: number;
  box: Figure;
  peer: Figure;
}

export interface Figure {
  what: string;
  value: number;
  unit: string;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Rounded to so many digits after the point. */
export function rounded(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
