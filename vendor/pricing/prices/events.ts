/**
 * Events of pricing.
 */
import { Amount, Currency, defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

export const priceUpdated = defineEvent({
  type: 'price.updated',
  summary: 'The prices of a variant changed; the payload has all its current prices',
  payload: object({
    prices: Type.Array(
      object({ currency: Currency, regionId: nullable(Uuid), amount: Amount, compareAt: nullable(Amount) }),
    ),
  }),
});
