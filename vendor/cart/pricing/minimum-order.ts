/**
 * The least total of the goods for which a store accepts orders from carts.
 */
import type { Sale } from './sale.ts';
import type { TotalsLine } from './totals.ts';

/** The minimum that the goods fall short of, and by how much, in minor units. */
export interface Shortfall {
  minimum: number;
  missing: number;
}

/** Compares the goods after discounts with the minimum; null if they reach it, or if there is nothing to order. */
export function shortfallOf(
  minimum: number | null,
  { lines }: Pick<Sale, 'lines'>,
  priced: readonly TotalsLine[],
): Shortfall | null {
  if (minimum === null || lines.length === 0) return null;
  const goods = priced.reduce((sum, { discountedTotal }) => sum + discountedTotal, 0);
  return goods < minimum ? { minimum, missing: minimum - goods } : null;
}
