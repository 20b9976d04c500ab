/**
 * @carton/inventory: stock levels of variants, the ledger of their changes, and availability.
 */
import { productListFilters, variantCreatedListeners, variantDeletedListeners } from '@carton/product';
import { definePackage, job, mailTemplates } from '@carton/runtime';
import { stockAdjusted, stockLow, stockReleased, stockReserved } from './events.ts';
import { releaseExpiredReservations } from './expired-reservations.ts';
import { lowStockMail } from './mails.ts';
import { readVariantAvailability } from './routes/availability.ts';
import { createStockAdjustment, listStockMovements, listStockReservations, stockItemRoutes } from './routes/items.ts';
import { inStockFilter } from './sellable.ts';
import { forgetVariants, insertStockItems } from './store.ts';

export { type Availability, type AvailabilityOptions, availabilityOf } from './availability.ts';
export { releaseExpiredReservations } from './expired-reservations.ts';
export type { StockLine, StockReference } from './lines.ts';
export { defaultLocation, type StockLocations, type StockSale, stockLocations } from './locations.ts';
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

export default definePackage({
  routes: [
    readVariantAvailability,
    ...stockItemRoutes,
    createStockAdjustment,
    listStockMovements,
    listStockReservations,
  ],
  events: [stockAdjusted, stockLow, stockReserved, stockReleased],
  jobs: [job({ name: 'inventory.release-ended', everySeconds: 30, run: releaseExpiredReservations })],
  extends: [
    variantCreatedListeners.with(insertStockItems),
    variantDeletedListeners.with(forgetVariants),
    productListFilters.with(inStockFilter),
    mailTemplates.with(lowStockMail),
  ],
});
