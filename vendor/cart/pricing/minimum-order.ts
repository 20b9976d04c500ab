/**
 * The least total of the goods for which a store accepts orders from carts.
 */
import type { Sale } from './sale.ts';
import type { TotalsDraft } from './totals.ts';

/** The minimum that the goods fall short of, and by how much, in minor units. */
export interface Shortfall {
  minimum: number;
  missing: number;
}

/** Discounts of this source are taxes that a buyer need not pay. */
const exemption = 'tax_exemption';

/**
 * Compares the goods after discounts with the minimum; null if they reach it, or if there is nothing to order. Who pays no tax
 * is measured by the same prices as a consumer.
 */
export function shortfallOf(
  minimum: number | null,
  { lines }: Pick<Sale, 'lines'>,
  { lines: priced, adjustments }: Pick<TotalsDraft, 'lines' | 'adjustments'>,
): Shortfall | null {
  if (minimum === null || lines.length === 0) return null;
  const isTakenOff = ({ source, lineId }: TotalsDraft['adjustments'][number]) =>
    source?.type === exemption && lineId !== undefined;
  const taxes = adjustments.filter(isTakenOff).reduce((sum, { amount }) => sum - amount, 0);
  const goods = priced.reduce((sum, { discountedTotal }) => sum + discountedTotal, taxes);
  return goods < minimum ? { minimum, missing: minimum - goods } : null;
}
