/**
 * Events of region.
 */
import { Currency, defineEvent, object, Type } from '@carton/runtime';

export const regionUpdated = defineEvent({
  type: 'region.updated',
  summary: 'A region was created, changed or deleted',
  payload: object({
    name: Type.String(),
    currency: Currency,
    taxInclusive: Type.Boolean(),
    countries: Type.Array(Type.String()),
    deleted: Type.Boolean(),
  }),
});
