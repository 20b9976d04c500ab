/**
 * @carton/pricing: what variants cost, by currency and by region.
 */
import { variantPricers } from '@carton/product';
import { regionLocks } from '@carton/region';
import { definePackage } from '@carton/runtime';
import { priceUpdated } from './events.ts';
import { listVariantPrices, replaceVariantPrices, setPrices } from './routes/prices.ts';
import { priceVariants } from './service.ts';
import { regionHasPrices } from './store.ts';

export { pricesOf } from './store.ts';

export default definePackage({
  routes: [listVariantPrices, replaceVariantPrices, setPrices],
  events: [priceUpdated],
  extends: [variantPricers.with(priceVariants), regionLocks.with(regionHasPrices)],
});
