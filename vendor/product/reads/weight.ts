/**
 * Weights. They are stored, accepted and calculated in grams; a variant also shows its weight in the store's unit.
 */
import type { Store } from '@carton/core';

export type WeightUnit = Store['weightUnit'];

/** Grams per unit; the pound is the international one of 1959. */
const grams: Record<WeightUnit, number> = { kg: 1000, lb: 453.59237 };

/** A weight for display, rounded to thousandths of the unit. */
export function displayWeight(weight: number | null, unit: WeightUnit): { value: number; unit: WeightUnit } | null {
  return weight === null ? null : { value: Math.round((weight / grams[unit]) * 1000) / 1000, unit };
}
