/**
 * Which quantities of a variant may be ordered: all lines of the variant in a sale count together.
 */
import { invalidField } from '@carton/runtime';

export interface QuantityRule {
  minQuantity: number;
  /** Null for no maximum. */
  maxQuantity: number | null;
  /** The quantity is a multiple of it. */
  quantityStep: number;
}

export const anyQuantity: QuantityRule = { minQuantity: 1, maxQuantity: null, quantityStep: 1 };

export function allowsQuantity({ minQuantity, maxQuantity, quantityStep }: QuantityRule, quantity: number): boolean {
  return quantity >= minQuantity && quantity <= (maxQuantity ?? quantity) && quantity % quantityStep === 0;
}

/** The rule in words: `from 6 to 24, in steps of 6`. */
export function explainQuantityRule({ minQuantity, maxQuantity, quantityStep }: QuantityRule): string {
  const range = maxQuantity === null ? `from ${minQuantity}` : `from ${minQuantity} to ${maxQuantity}`;
  return quantityStep === 1 ? range : `${range}, in steps of ${quantityStep}`;
}

/** @throws invalid_request (400) for a rule that allows no quantity */
export function rejectImpossibleRule({ minQuantity, maxQuantity, quantityStep }: QuantityRule): void {
  if (maxQuantity === null) return;
  const smallest = Math.ceil(minQuantity / quantityStep) * quantityStep;
  if (smallest > maxQuantity) throw invalidField('/maxQuantity', `must be at least ${smallest}`);
}
