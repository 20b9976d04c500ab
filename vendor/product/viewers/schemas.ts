/**
 * Query parameters of what a viewer sees: prices and language.
 */
import { Currency, Locale, object, Type, Uuid, withOptions } from '@carton/runtime';

/** Query parameters that select a price. */
export const priceParameters = {
  currency: Type.Optional(
    withOptions(Currency, { description: "Currency of the prices. Default: that of the region, else the store's" }),
  ),
  regionId: Type.Optional(withOptions(Uuid, { description: 'Region of the prices' })),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9999, description: 'Return the unit price for this quantity' }),
  ),
};

/** Query parameters of storefront routes: price and language. */
export const viewParameters = {
  ...priceParameters,
  locale: Type.Optional(
    withOptions(Locale, {
      description:
        "Language of the texts. Default: by Accept-Language. Texts without a translation are in the store's language",
    }),
  ),
};
export const ViewQuery = object(viewParameters);
