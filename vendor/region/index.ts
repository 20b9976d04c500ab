/**
 * @carton/region: the regions in which a store sells, each with a currency and countries.
 */
import { currencyUses } from '@carton/core';
import { definePackage } from '@carton/runtime';
import { regionUpdated } from './events.ts';
import { adminRegions, listCountries, storefrontRegions } from './routes.ts';
import { listRegionCurrencies } from './store.ts';

export { provinceKey } from './province-keys.ts';
export type { RegionRow } from './schemas.ts';
export { type RegionLock, type RegionRemoval, regionLocks, regionRemovals } from './service.ts';
export { findRegion, findRegionOfCountry, holdRegion, soleCountryOfRegion } from './store.ts';

export default definePackage({
  routes: [...storefrontRegions, listCountries, ...adminRegions],
  events: [regionUpdated],
  extends: [currencyUses.with({ noun: 'regions', list: listRegionCurrencies })],
});
