/**
 * Events of region.
 */
import { Currency, nullable, object, resourceEvents, Type } from '@carton/runtime';

export const regionEvents = resourceEvents({
  type: 'region',
  noun: 'region',
  payload: object({
    currency: Currency,
    taxInclusive: Type.Boolean(),
    shippingTaxInclusive: nullable(Type.Boolean()),
    countries: Type.Array(Type.String()),
  }),
});
