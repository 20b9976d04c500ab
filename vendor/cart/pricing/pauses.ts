/**
 * When the work on a sale pauses for other requests: with promotions and taxes on all of them, 500 lines take tens of
 * milliseconds. Lines are counted rather than time, so that the same sale always has the same parts.
 */
import { pauseForOthers } from '@carton/runtime';
import type { Sale } from './sale.ts';

/** Of more lines, the parts of the work are done one by one. Pricing 100 takes about 3 ms in all. */
const fewLines = 100;

/** The pause between parts of the work on a sale; null for one with few lines, which has none. */
export function pauseOf({ lines }: Pick<Sale, 'lines'>): typeof pauseForOthers | null {
  return lines.length > fewLines ? pauseForOthers : null;
}
