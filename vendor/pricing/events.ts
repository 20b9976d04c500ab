/**
 * Events of pricing.
 */
import { Amount, Currency, defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

export const priceUpdated = defineEvent({
  type: 'price.updated',
  summary: 'Prices of a variant have changed; these are all it has now',
  payload: object({
    prices: Type.Array(object({ currency: Currency, regionId: nullable(Uuid), amount: Amount })),
  }),
});
