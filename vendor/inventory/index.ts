/**
 * @carton/inventory: stock levels of variants, the ledger of their changes, and availability.
 */
import { productListFilters, productMeasures, variantCreatedListeners, variantDeletedListeners } from '@carton/product';
import { definePackage, job, mailTemplates } from '@carton/runtime';
import { stockAdjusted, stockLow, stockReleased, stockReserved } from './events.ts';
import { releaseExpiredReservations } from './expired-reservations.ts';
import { lowStockMail } from './mails.ts';
import { forgetVariants, refreshProductStock, stockMeasure } from './product-stock.ts';
import { readVariantAvailability } from './routes/availability.ts';
import { createStockAdjustment, listStockMovements, listStockReservations, stockItemRoutes } from './routes/items.ts';
import { inStockFilter } from './sellable.ts';
import { insertStockItems } from './store.ts';

export { type Availability, type AvailabilityOptions, availabilityOf } from './availability.ts';
export { releaseExpiredReservations } from './expired-reservations.ts';
export type { StockLine, StockReference } from './lines.ts';
export { defaultLocation, type StockLocations, type StockSale, stockLocations } from './locations.ts';
export { unlimitedStock } from './product-stock.ts';
export { findReserved, isReserved } from './returning.ts';
export {
  insufficientStock,
  openStockLevels,
  type ReserveOptions,
  releaseStock,
  reserveStock,
  returnStock,
  type TakeOptions,
  takeStock,
} from './service.ts';
export { isTracked, reservedUnits } from './store.ts';

export default definePackage({
  routes: [
    readVariantAvailability,
    ...stockItemRoutes,
    createStockAdjustment,
    listStockMovements,
    listStockReservations,
  ],
  events: [stockAdjusted, stockLow, stockReserved, stockReleased],
  jobs: [
    job({ name: 'inventory.release-ended', everySeconds: 30, run: releaseExpiredReservations }),
    job({ name: 'inventory.count-products', everySeconds: 30, run: refreshProductStock }),
  ],
  extends: [
    variantCreatedListeners.with(insertStockItems),
    variantDeletedListeners.with(forgetVariants),
    productListFilters.with(inStockFilter),
    productMeasures.with(stockMeasure),
    mailTemplates.with(lowStockMail),
  ],
});
