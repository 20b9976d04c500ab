/**
 * Events of tax.
 */
import { nullable, object, resourceEvents, Type, Uuid } from '@carton/runtime';

export const taxRateEvents = resourceEvents({
  type: 'tax_rate',
  noun: 'tax rate',
  payload: object({
    code: Type.String(),
    rate: Type.Number(),
    country: Type.String(),
    province: nullable(Type.String()),
    postalCode: nullable(Type.String()),
    categoryId: nullable(Uuid),
    compound: Type.Boolean(),
    override: Type.Boolean(),
  }),
});
