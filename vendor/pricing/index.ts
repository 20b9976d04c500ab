/**
 * @carton/pricing: prices of variants by currency and region, and price sources of other packages that override them.
 */
import { productMeasures, variantDeletedListeners, variantPricers } from '@carton/product';
import { regionLocks } from '@carton/region';
import { definePackage } from '@carton/runtime';
import { priceUpdated } from './prices/events.ts';
import { listPriceChanges, listVariantPrices, replaceVariantPrices, setPrices } from './prices/routes.ts';
import { priceVariants } from './prices/service.ts';
import { priceMeasure } from './products/measure.ts';
import { forgetVariants } from './products/service.ts';
import { regionHasPrices } from './store.ts';

export { type PricePlan, planPrices, type ResolvedPrice, resolvePrices } from './resolving/service.ts';
export {
  type PriceContext,
  type PriceItem,
  type PriceSource,
  type PricingInput,
  priceOrder,
  priceSource,
  priceSources,
  type SourcePrice,
} from './resolving/sources.ts';

export default definePackage({
  routes: [listVariantPrices, replaceVariantPrices, listPriceChanges, setPrices],
  events: [priceUpdated],
  extends: [
    variantPricers.with(priceVariants),
    variantDeletedListeners.with(forgetVariants),
    productMeasures.with(priceMeasure),
    regionLocks.with(regionHasPrices),
  ],
});
