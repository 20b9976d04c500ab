/**
 * @carton/pricing: prices of variants by currency and region, and price sources of other packages that override them.
 */
import { productMeasures, variantDeletedListeners, variantPricers } from '@carton/product';
import { regionLocks } from '@carton/region';
import { definePackage } from '@carton/runtime';
import { listPriceChanges } from './history/routes.ts';
import { priceUpdated } from './prices/events.ts';
import { listVariantPrices, replaceVariantPrices, setPrices } from './prices/routes.ts';
import { priceMeasure } from './products/measure.ts';
import { forgetVariants } from './products/service.ts';
import { priceVariants } from './resolving/variants.ts';
import { regionHasPrices } from './store.ts';

export { type PricePlan, planPrices, type ResolvedPrice } from './resolving/service.ts';
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
