/**
 * What shoppers may know of stock.
 */
import { findVariants, isForSale, viewerOf } from '@carton/product';
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
    access: 'session',
    status: 200,
    response: VariantAvailability,
  },
  async ({ db, params: { id }, session, headers }) => {
    const viewer = viewerOf({ session, headers });
    const [variants, availabilities] = await Promise.all([findVariants(db, [id], viewer), availabilityOf(db, [id])]);
    const [variant] = variants.values();
    const [availability] = availabilities.values();
    if (!availability || !variant || !isForSale(variant)) {
      throw notFound(`No variant for sale has the id ${id}.`);
    }
    return availability;
  },
);
