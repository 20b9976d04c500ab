/**
 * What shoppers may know of stock.
 */
import { findVariants } from '@carton/product';
import { notFound, route } from '@carton/runtime';
import { availabilityOf } from '../availability.ts';
import { VariantAvailability } from '../schemas.ts';

export const readVariantAvailability = route(
  {
    method: 'get',
    path: '/variants/:id/availability',
    operationId: 'readVariantAvailability',
    tag: 'Products',
    summary: 'Read whether a variant is in stock, can be back-ordered or is out of stock',
    access: 'public',
    status: 200,
    response: VariantAvailability,
  },
  async ({ db, params: { id } }) => {
    const [variants, availabilities] = await Promise.all([findVariants(db, [id]), availabilityOf(db, [id])]);
    const [variant] = variants.values();
    const [availability] = availabilities.values();
    if (!availability || !variant || variant.deleted || variant.productStatus !== 'published') {
      throw notFound(`No variant for sale has the id ${id}.`);
    }
    return availability;
  },
);
