/**
 * How far two samples of times can be told apart: by one observation, and by their medians.
 */

/** Times of responses in milliseconds; pairs have the same index. */
export interface Samples {
  known: readonly number[];
  unknown: readonly number[];
}

export interface Comparison {
  /**
   * The probability that the time of a known address is the longer one, of one known and one unknown address drawn at
   * random: the area under the ROC curve of all rules that guess by a threshold. 0.5 if the times tell nothing.
   */
  auc: number;
  /** The share of right guesses by the best threshold, with as many known addresses as unknown ones. */
  bestGuess: number;
  /** Milliseconds. */
  median: number;
  /** The median of known addresses minus that of unknown ones, in microseconds, with its 99 % confidence interval. */
  difference: number;
  from: number;
  to: number;
  /** The difference in percent of the median of unknown addresses. */
  percent: number;
}

/** Deviation of the AUC from 0.5 that an attacker cannot use; see the rig. */
const uselessAuc = 0.02;
/** Standard deviations that chance exceeds once in a million measurements. */
const chance = 5;

/**
 * The deviation of the AUC from 0.5 from which on a difference is reported: 0.02, or what chance may cause with fewer
 * than 10,000 tries. Without a difference, the variance of the AUC is (2n + 1) / 12n² (Mann and Whitney, 1947).
 * @param tries of each kind
 */
export function aucLimit(tries: number): number {
  return Math.max(uselessAuc, chance * Math.sqrt((2 * tries + 1) / (12 * tries ** 2)));
}

/** @param resamples of the bootstrap */
export function compareTimes({ known, unknown }: Samples, resamples = 1000): Comparison {
  const [slower, faster] = [medianOf(known), medianOf(unknown)];
  const differences = new Float64Array(resamples);
  for (let at = 0; at < resamples; at++) differences[at] = medianOf(drawAgain(known)) - medianOf(drawAgain(unknown));
  differences.sort();
  const quantile = (share: number) => (differences[Math.floor(share * (resamples - 1))] as number) * 1000;
  const difference = slower - faster;
  return {
    ...classify({ known, unknown }),
    median: faster,
    difference: difference * 1000,
    from: quantile(0.005),
    to: quantile(0.995),
    percent: (difference / faster) * 100,
  };
}

function drawAgain(values: readonly number[]): Float64Array {
  return Float64Array.from(values, () => values[Math.floor(Math.random() * values.length)] as number);
}

function medianOf(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Follows the ROC curve from the longest time to the shortest; equal times are one step. */
function classify({ known, unknown }: Samples): Pick<Comparison, 'auc' | 'bestGuess'> {
  const times = [...known.map((time) => ({ time, hit: 1 })), ...unknown.map((time) => ({ time, hit: 0 }))];
  times.sort((one, other) => other.time - one.time);
  let [hits, falseAlarms, area, widest] = [0, 0, 0, 0];
  for (let at = 0; at < times.length; ) {
    const before = { hits, falseAlarms };
    const { time } = times[at] as { time: number };
    for (; times[at]?.time === time; at++) {
      if (times[at]?.hit) hits += 1 / known.length;
      else falseAlarms += 1 / unknown.length;
    }
    area += ((hits + before.hits) / 2) * (falseAlarms - before.falseAlarms);
    widest = Math.max(widest, Math.abs(hits - falseAlarms));
  }
  return { auc: area, bestGuess: (1 + widest) / 2 };
}
