/**
 * @carton/inventory: stock levels of variants, the ledger of their changes, and availability.
 */
import { productListFilters, productMeasures, variantCreatedListeners, variantDeletedListeners } from '@carton/product';
import { definePackage, job, mailTemplates } from '@carton/runtime';
import { readVariantAvailability } from './availability/routes.ts';
import { stockAdjusted, stockRanLow, stockReleased, stockReserved } from './events.ts';
import { createStockAdjustment, listStockMovements, stockItemRoutes } from './items/routes.ts';
import { createStockItems } from './items/service.ts';
import { lowStockMail } from './mails.ts';
import { inStockFilter } from './products/filter.ts';
import { stockMeasure } from './products/measure.ts';
import { forgetVariants, refreshProductStock } from './products/service.ts';
import { listStockReservations } from './reservations/routes.ts';
import { releaseExpiredReservations } from './reservations/service.ts';

export { type Availability, type AvailabilityOptions, availabilityOf } from './availability/service.ts';
export { isTracked } from './items/store.ts';
export { defaultLocation, type StockLocations, type StockSale, stockLocations } from './locations.ts';
export type { StockLine, StockReference } from './movements/lines.ts';
export {
  openStockLevels,
  type ReserveOptions,
  releaseStock,
  reserveStock,
  returnStock,
  type TakeOptions,
  takeStock,
} from './movements/service.ts';
export { insufficientStock } from './problems.ts';
export { unlimitedStock } from './products/store.ts';
export { findReserved, hasReservation, isReserved, reservedUnits } from './reservations/store.ts';

export default definePackage({
  routes: [
    readVariantAvailability,
    ...stockItemRoutes,
    createStockAdjustment,
    listStockMovements,
    listStockReservations,
  ],
  events: [stockAdjusted, stockRanLow, stockReserved, stockReleased],
  jobs: [
    job({ name: 'inventory.release-ended', everySeconds: 30, run: releaseExpiredReservations }),
    job({ name: 'inventory.count-products', everySeconds: 30, run: refreshProductStock }),
  ],
  extends: [
    variantCreatedListeners.with(createStockItems),
    variantDeletedListeners.with(forgetVariants),
    productListFilters.with(inStockFilter),
    productMeasures.with(stockMeasure),
    mailTemplates.with(lowStockMail),
  ],
});
