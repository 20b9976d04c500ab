/**
 * Weights. They are kept, asked for and calculated with in grams; whoever reads a variant gets its weight in the unit of
 * the store besides.
 */
import type { Store } from '@carton/core';

export type WeightUnit = Store['weightUnit'];

/** Grams in one; the pound is the international one of 1959. */
const grams: Record<WeightUnit, number> = { kg: 1000, lb: 453.59237 };

/** A weight to be shown, rounded to thousandths of the unit. */
export function displayWeight(weight: number | null, unit: WeightUnit): { value: number; unit: WeightUnit } | null {
  return weight === null ? null : { value: Math.round((weight / grams[unit]) * 1000) / 1000, unit };
}
