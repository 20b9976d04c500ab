/**
 * What a measurement answers, and how figures of several rounds become one.
 */
import { cpus, totalmem } from 'node:os';

/** What a measurement found: its own figure beside a named peer's from the same run. */
export interface Measurement {
  name: string;
  /** The box's side divided by the peer's, as the measurement defines it. */
  ratio: number;
  box: Figure;
  peer: Figure;
  /** The largest part of the box's memory that was ever in use, where it was looked at. */
  peakMemory?: Figure;
}

export interface Figure {
  what: string;
  value: number;
  unit: string;
}

/** What figures were found on, for whoever compares them. */
export function thisMachine() {
  return {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    system: `${process.platform} ${process.arch}`,
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Rounded to so many digits after the point. */
export function rounded(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** One side of a measurement. */
export interface Side {
  what: string;
  unit: string;
  /** Digits shown after the point; none unless told. */
  digits?: number;
  /** The figure of one round; round 0 warms up and does not count. */
  measure(round: number): Promise<number>;
}

/** Measures the box and its peer in turn, so many rounds after one that warms up. The medians make the ratio. */
export async function inTurn(
  name: string,
  rounds: number,
  box: Side,
  peer: Side,
  say = console.log as (text: string) => void,
): Promise<Measurement> {
  const sides = [box, peer].map((side) => ({ ...side, figures: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) side.figures.push(await side.measure(round));
    const shown = sides.map(({ what, unit, digits, figures }) => `${what} ${figures.at(-1)?.toFixed(digits)} ${unit}`);
    say(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${shown.join('; ')}`);
  }
  const [own, theirs] = sides.map(({ what, unit, digits = 0, figures }) => {
    const middle = median(figures.slice(1));
    return { middle, figure: { what, value: rounded(middle, digits), unit } };
  }) as [{ middle: number; figure: Figure }, { middle: number; figure: Figure }];
  return { name, ratio: rounded(own.middle / theirs.middle), box: own.figure, peer: theirs.figure };
}
