/**
 * Prices for these tests: pricers contributed to the box, as a package would.
 */
import type { MoneyValue } from '@carton/runtime';
import type { TestBox } from '@carton/runtime/testing';
import { type PriceRequest, type VariantPricer, variantPricers } from '../index.ts';

/** Adds pricers to those of a box. */
export function addPricers(box: TestBox, ...pricers: VariantPricer[]): void {
  const { database } = box.box;
  const { point } = variantPricers.with(async () => new Map());
  database.extensions = new Map([...database.extensions, [point, [...variantPricers.of(database), ...pricers]]]);
}

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
