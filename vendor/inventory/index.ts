/**
 * @carton/inventory: how many there are of each variant, why that changed, and whether it can be sold.
 */
import { variantCreatedListeners } from '@carton/product';
import { definePackage } from '@carton/runtime';
import { stockAdjusted, stockLow, stockReleased, stockReserved } from './events.ts';
import { readVariantAvailability } from './routes/availability.ts';
import {
  createStockAdjustment,
  listStockItems,
  listStockMovements,
  listStockReservations,
  readStockItem,
  updateStockItem,
} from './routes/items.ts';
import { insertStockItems } from './store.ts';

export { type Availability, availabilityOf } from './availability.ts';
export type { StockLine, StockReference } from './movements.ts';
export { insufficientStock, releaseStock, reserveStock, returnStock, takeStock } from './service.ts';

export default definePackage({
  routes: [
    readVariantAvailability,
    listStockItems,
    readStockItem,
    updateStockItem,
    createStockAdjustment,
    listStockMovements,
    listStockReservations,
  ],
  events: [stockAdjusted, stockLow, stockReserved, stockReleased],
  extends: [variantCreatedListeners.with(insertStockItems)],
});
