/**
 * @carton/region: where a shop sells: regions with a currency and the countries they ship to.
 */
import { definePackage } from '@carton/runtime';
import { regionUpdated } from './events.ts';
import { createRegion, deleteRegion, listAdminRegions, readAdminRegion, updateRegion } from './routes/admin.ts';
import { listCountries, listRegions, readRegion } from './routes/storefront.ts';

export { type RegionLock, type RegionRemoval, regionLocks, regionRemovals } from './service.ts';
export {
  findRegion,
  findRegionOfCountry,
  findRegions,
  holdRegion,
  listRegions,
  type RegionRow,
} from './store.ts';

export default definePackage({
  routes: [
    listRegions,
    readRegion,
    listCountries,
    listAdminRegions,
    createRegion,
    readAdminRegion,
    updateRegion,
    deleteRegion,
  ],
  events: [regionUpdated],
});
