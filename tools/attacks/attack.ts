/**
 * An attack on an installed box and the services of the vendor: requests of a caller with less rights than they need,
 * and the answers that are right.
 */
import type { Observation } from './observation.ts';
import type { Target } from './target.ts';

export interface Attack {
  /** What kind of attack it is, and which: `sessions: an id of the attacker`. */
  name: string;
  /** What is tried, in a sentence without a full stop. */
  tries: string;
  /** True if the box must trust no proxy, and have the limits of a new box; else each caller may name an address. */
  direct?: boolean;
  run(target: Target, observe: Observation): Promise<void>;
}

/** What came of an attack. */
export interface Outcome {
  name: string;
  tries: string;
  held: boolean;
  /** The answers that came, each with its number. */
  came: string;
  /** What was not right, a line each. */
  faults: readonly string[];
}

/** The line of an attack. */
export function lineOf({ name, tries, held, came, faults }: Outcome): string {
  const wrong = faults.length === 0 ? '' : ` | ${faults.join('; ')}`;
  return `${held ? 'held    ' : 'NOT HELD'} ${name} | ${tries} | ${came}${wrong}`;
}
