/**
 * The result of a measurement, and how the figures of several rounds become one.
 */
import { cpus, totalmem } from 'node:os';

/** A figure of the box and one of a named peer, from the same run. */
export interface Measurement {
  name: string;
  /** The box's figure divided by the peer's. */
  ratio: number;
  box: Figure;
  peer: Figure;
  /** The bounds within which the ratio is with a probability of 95 %, if they were computed. */
  within?: readonly [number, number];
  /** Further peers of the same run. */
  others?: readonly Pick<Measurement, 'ratio' | 'within' | 'peer'>[];
  /** The peak resident memory of the box, if it was measured. */
  peakMemory?: Figure;
}

export interface Figure {
  what: string;
  value: number;
  unit: string;
}

/** The machine of the measurement, to compare figures by. */
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

/** The value below which `percent` of the values are. */
export function percentile(values: readonly number[], percent: number): number {
  const index = Math.ceil((values.length * percent) / 100) - 1;
  return [...values].sort((a, b) => a - b)[Math.max(index, 0)] as number;
}

/** Rounds to a number of decimal places. */
export function rounded(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** One side of a measurement. */
export interface Side {
  what: string;
  unit: string;
  /** Decimal places to show; 0 by default. */
  digits?: number;
  /** Measures one round; round 0 is a warm-up and does not count. */
  measure(round: number): Promise<number>;
}

/**
 * Measures the box and its peer alternately, `rounds` times after a warm-up. The ratio is the median of the rounds'
 * ratios: what else the machine does changes over minutes, and hardly within a round.
 */
export async function measureAlternately(
  name: string,
  rounds: number,
  box: Side,
  peer: Side,
  report = console.log as (text: string) => void,
): Promise<Measurement> {
  const [own, theirs] = (await measureInTurns(rounds, [box, peer], report)) as [number[], number[]];
  const figure = ({ what, unit, digits = 0 }: Side, of: number[]) => ({
    what,
    value: rounded(median(of), digits),
    unit,
  });
  const ratios = own.map((value, round) => value / (theirs[round] as number));
  return { name, ratio: rounded(median(ratios)), box: figure(box, own), peer: figure(peer, theirs) };
}

/**
 * Measures all sides in each round, after a warm-up. Every second round has the reverse order: what a side leaves to do for
 * the database falls on each side alike. Returns the figures of each side.
 */
export async function measureInTurns(
  rounds: number,
  sides: readonly Side[],
  report = console.log as (text: string) => void,
): Promise<number[][]> {
  const figures: number[][] = sides.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    const turns = [...sides.entries()];
    const measured: number[] = [];
    for (const [at, side] of round % 2 === 0 ? turns : turns.reverse()) measured[at] = await side.measure(round);
    if (round > 0) for (const [at, figure] of measured.entries()) figures[at]?.push(figure);
    const shown = sides.map(({ what, unit, digits }, at) => `${what} ${measured[at]?.toFixed(digits)} ${unit}`);
    report(`${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${shown.join('; ')}`);
  }
  return figures;
}

/** The geometric mean of the ratios of two sides, round by round, and the bounds within which it is with 95 %. */
export function ratioOf(
  own: readonly number[],
  theirs: readonly number[],
): Required<Pick<Measurement, 'ratio' | 'within'>> {
  const logarithms = own.map((figure, round) => Math.log(figure / (theirs[round] as number)));
  const mean = logarithms.reduce((sum, each) => sum + each, 0) / logarithms.length;
  const squares = logarithms.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  // Of the normal distribution; rounds are many.
  const deviation = 1.96 * Math.sqrt(squares / (logarithms.length - 1) / logarithms.length);
  const of = (logarithm: number) => rounded(Math.exp(logarithm));
  return { ratio: of(mean), within: [of(mean - deviation), of(mean + deviation)] };
}
