/**
 * Availability of variants for shoppers.
 */
import { findVariants, isForCallerAlone, isForSale, viewerOf } from '@carton/product';
import { notFound, route } from '@carton/runtime';
import { VariantAvailability } from './schemas.ts';
import { availabilityOf } from './service.ts';

export const readVariantAvailability = route(
  {
    method: 'get',
    path: '/variants/:id/availability',
    operationId: 'readVariantAvailability',
    tag: 'Products',
    summary: 'Read the availability of a variant',
    access: 'session',
    shared: true,
    isPersonal: isForCallerAlone,
    status: 200,
    response: VariantAvailability,
  },
  async ({ db, params: { id }, session, headers }) => {
    const viewer = viewerOf({ session, headers });
    const [variants, availabilities] = await Promise.all([findVariants(db, [id], viewer), availabilityOf(db, [id])]);
    const [variant] = variants.values();
    const [availability] = availabilities.values();
    if (!availability || !variant || !isForSale(variant)) {
      throw notFound(`There is no variant for sale with the id ${id}.`);
    }
    return availability;
  },
);
