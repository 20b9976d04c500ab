/**
 * Prices for these tests: a pricer contributed to the box as a package would, which remembers what it was asked.
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

/** A pricer that knows these amounts by variant id, in whatever currency it is asked for. */
export function pricerOf(amounts: Record<string, number>, asked: PriceRequest[] = []): VariantPricer {
  return async (_, variantIds, wanted) => {
    asked.push(wanted);
    const prices = new Map<string, MoneyValue>();
    for (const id of variantIds) {
      const amount = amounts[id];
      if (amount !== undefined) prices.set(id, { amount, currency: wanted.currency ?? 'XXX' });
    }
    return prices;
  };
}
