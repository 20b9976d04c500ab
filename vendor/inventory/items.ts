/**
 * Stock in the hands of staff: how many there are of an item over all locations, and changes by hand.
 */
import { findVariants } from '@carton/product';
import { type IntegrationPage, invalidField, notFound, publish, type TenantDatabase } from '@carton/runtime';
import { stockAdjusted, stockLow } from './events.ts';
import { atServingLocations, defaultLocation } from './locations.ts';
import type { AdjustStock, ChangeStockItem, StockItem, StockItemQuery, StockMovement } from './schemas.ts';
import { insufficientStock } from './service.ts';
import {
  changeItem,
  findLevels,
  type LevelRow,
  lockStockItem,
  moveLevel,
  type StockItemRow,
  stockItems,
} from './store.ts';

/** Items as staff see them: with the names of their variants. Those of deleted variants are left out. */
async function present(db: TenantDatabase, rows: readonly StockItemRow[], deletedToo = false): Promise<StockItem[]> {
  const ids = rows.map(({ id }) => id);
  const [variants, levels] = await Promise.all([findVariants(db, ids), findLevels(db, ids)]);
  return rows.flatMap((row) => {
    const variant = variants.get(row.id);
    if (!variant || (variant.deleted && !deletedToo)) return [];
    const { sku, title, productTitle } = variant;
    const own = levels.filter(({ stockItemId }) => stockItemId === row.id);
    const updatedAt = [row.updatedAt, ...own.map((level) => level.updatedAt)].sort().at(-1) as string;
    const names = { variantId: row.id, sku, variantTitle: title, productTitle };
    return { ...row, ...names, ...sumOf(own), levels: own.map(presentLevel), updatedAt };
  });
}

function presentLevel({ locationId, onHand, reserved }: LevelRow): StockItem['levels'][number] {
  return { locationId, onHand, reserved, available: onHand - reserved };
}

function sumOf(levels: readonly LevelRow[]): Pick<StockItem, 'onHand' | 'reserved' | 'available'> {
  const onHand = levels.reduce((sum, level) => sum + level.onHand, 0);
  const reserved = levels.reduce((sum, level) => sum + level.reserved, 0);
  return { onHand, reserved, available: onHand - reserved };
}

function unknownItem(id: string) {
  return notFound(`No stock item has the id ${id}.`);
}

/** A page of items; one that holds deleted variants is shorter than it could be. */
export async function listStockItems(db: TenantDatabase, query: StockItemQuery): Promise<IntegrationPage<StockItem>> {
  const page = await stockItems.page(db, query);
  return { ...page, items: await present(db, page.items) };
}

/** @throws not_found (404) */
export async function readStockItem(db: TenantDatabase, id: string): Promise<StockItem> {
  const [item] = await present(db, [await stockItems.require(db, id)], true);
  if (!item) throw unknownItem(id);
  return item;
}

/** @throws not_found (404) */
export async function changeStockItem(db: TenantDatabase, id: string, patch: ChangeStockItem): Promise<StockItem> {
  return db.transaction(async (tx) => {
    const changed = await changeItem(tx, id, patch);
    if (changed.length === 0) throw unknownItem(id);
    return readStockItem(tx, id);
  });
}

/**
 * Adds or takes away stock by hand, with the reason in the ledger.
 * @throws not_found (404), invalid_request (400) for a location where the item is not kept, insufficient_stock (409)
 *   when more is taken away than is on hand there and none may be owed
 */
export async function adjustStock(
  db: TenantDatabase,
  id: string,
  { quantity, reason, note, locationId }: AdjustStock,
): Promise<{ movement: StockMovement; stockItem: StockItem }> {
  return db.transaction(async (tx) => {
    const locked = await lockStockItem(tx, id);
    if (!locked) throw unknownItem(id);
    const { item, levels } = locked;
    const place = locationId?.toLowerCase() ?? defaultLocation;
    const level = levels.find((candidate) => candidate.locationId === place);
    if (!level) throw invalidField('/locationId', 'is not a location where this is kept');
    const onHand = level.onHand + quantity;
    if (quantity < 0 && onHand < 0 && item.backOrderPolicy === 'deny') {
      throw insufficientStock(`${level.onHand} on hand, ${-quantity} cannot be taken away.`);
    }
    const movement = await moveLevel(tx, level, { quantity, reason, note: note ?? null });
    const { id: variantId, lowStockLevel, tracked } = item;
    const before = sumOf(levels);
    const totals = { onHand: before.onHand + quantity, available: before.available + quantity };
    const resource = { type: 'stock_item', id: variantId };
    await publish(tx, stockAdjusted, resource, { variantId, quantity, reason, locationId: place, ...totals });
    const serving = await atServingLocations(tx, {}, async (locationIds) => locationIds);
    const { available } = sumOf(levels.filter((candidate) => serving.includes(candidate.locationId)));
    const left = serving.includes(place) ? available + quantity : available;
    if (tracked && available > lowStockLevel && left <= lowStockLevel) {
      await publish(tx, stockLow, resource, { variantId, available: left, lowStockLevel });
    }
    return { movement, stockItem: await readStockItem(tx, id) };
  });
}
