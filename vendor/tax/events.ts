/**
 * Events of tax.
 */
import { defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

export const taxRateUpdated = defineEvent({
  type: 'tax_rate.updated',
  summary: 'A tax rate was created, changed or deleted',
  payload: object({
    code: Type.String(),
    name: Type.String(),
    rate: Type.Number(),
    country: Type.String(),
    province: nullable(Type.String()),
    postalCode: nullable(Type.String()),
    categoryId: nullable(Uuid),
    compound: Type.Boolean(),
    override: Type.Boolean(),
    deleted: Type.Boolean(),
  }),
});
