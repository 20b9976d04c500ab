/**
 * Schemas of availability for shoppers.
 */
import { nullable, object, oneOf, Uuid } from '@carton/runtime';

export const availabilities = ['in_stock', 'back_orderable', 'out_of_stock'] as const;

/** Approximate quantities for shoppers. */
export const buckets = ['0', '1-9', '10+'] as const;

export const VariantAvailability = object(
  {
    variantId: Uuid,
    status: oneOf(availabilities),
    quantity: nullable(oneOf(buckets, { description: 'Approximate quantity; null if the variant is not tracked' })),
  },
  { $id: 'VariantAvailability', examples: [{ variantId: Uuid.examples[0], status: 'in_stock', quantity: '10+' }] },
);
