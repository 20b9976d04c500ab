/**
 * The least total of the goods for which a store accepts orders from carts.
 */
import { findStore } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import type { Sale } from './sale.ts';
import { cartSettings } from './settings.ts';
import type { TotalsLine } from './totals.ts';

/** Minor units of the sale's currency; null for none, as for every sale without a cart. */
export async function findMinimumOrder(
  db: TenantDatabase,
  { cartId, currency }: Pick<Sale, 'cartId' | 'currency'>,
): Promise<number | null> {
  if (cartId === null) return null;
  const { minimumOrder } = cartSettings.of(await findStore(db));
  const amounts = minimumOrder.flatMap((minimum) => (minimum.currency === currency ? minimum.amount : []));
  return amounts.length === 0 ? null : Math.max(...amounts);
}

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
