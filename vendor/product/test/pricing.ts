/**
 * Prices for these tests, as a package computes them.
 */
import type { MoneyValue } from '@carton/runtime';
import type { PriceRequest, VariantPricer } from '../index.ts';

/** A pricer with these amounts by variant id, in any requested currency. Records each request in `requests`. */
export function pricerOf(amounts: Record<string, number>, requests: PriceRequest[] = []): VariantPricer {
  return async (_, variantIds, request) => {
    requests.push(request);
    const prices = new Map<string, MoneyValue>();
    for (const id of variantIds) {
      const amount = amounts[id];
      if (amount !== undefined) prices.set(id, { amount, currency: request.currency ?? 'XXX' });
    }
    return prices;
  };
}
