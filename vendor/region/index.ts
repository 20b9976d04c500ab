/**
 * @carton/region: the regions in which a store sells, each with a currency and countries.
 */
import { currencyUses, storeChecks, storeTasks } from '@carton/core';
import { definePackage } from '@carton/runtime';
import { regionEvents } from './events.ts';
import { adminRegions, listCountries, storefrontRegions } from './routes.ts';
import { checkDefaultRegion, countryMissing, countryUses } from './service.ts';
import { hasRegions, listRegionCurrencies } from './store.ts';

export { countryOfSale, regionById, regionOfCountry } from './places-store.ts';
export {
  areAmbiguous,
  breadthOf,
  checkedPattern,
  isWithinBounds,
  matchesPostal,
  type PostalPattern,
  parsePostalPattern,
  postalBounds,
  postalKeys,
  postalLookups,
  postalPatternText,
  storedPatterns,
} from './postal-codes.ts';
export type { RegionRow } from './schemas.ts';
export {
  type CountryUse,
  countryUses,
  dependsOnCountries,
  type RegionLock,
  type RegionRemoval,
  regionLocks,
  regionRemovals,
} from './service.ts';
export { findRegion, findRegionOfCountry, hasRegions, holdRegion } from './store.ts';

export default definePackage({
  routes: [...storefrontRegions, listCountries, ...adminRegions],
  events: [...Object.values(regionEvents)],
  extends: [
    currencyUses.with({ noun: 'regions', list: listRegionCurrencies }),
    countryUses.with(hasRegions),
    storeChecks.with(checkDefaultRegion),
    storeTasks.with(countryMissing),
  ],
});
