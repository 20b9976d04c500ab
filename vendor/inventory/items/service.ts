/**
 * Stock items for staff: quantities over all locations, settings, and adjustments.
 */
import { findVariants } from '@carton/product';
import {
  type IntegrationPage,
  invalidField,
  notFound,
  publish,
  runConcurrently,
  type TenantDatabase,
} from '@carton/runtime';
import { stockAdjusted, stockRanLow } from '../events.ts';
import { findLevels, type LevelRow, lockLevels, recomputeLow, setOnHand, syncLevels } from '../levels-store.ts';
import { defaultLocation, withServingLocations } from '../locations.ts';
import { insufficientStock } from '../problems.ts';
import type { AdjustStock, ChangeStockItem, StockItem, StockItemQuery, StockMovement } from './schemas.ts';
import { insertItems, insertMovement, type StockItemRow, stockItems, updateItem } from './store.ts';

/** Creates the stock items of new variants. */
export async function createStockItems(db: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  const variants = await findVariants(db, variantIds);
  const productIds = variantIds.map((id) => variants.get(id)?.productId ?? null);
  await insertItems(db, variantIds, productIds);
}

/** Stock items with the names of their variants; by default without those of deleted variants. */
async function present(
  db: TenantDatabase,
  rows: readonly StockItemRow[],
  includeDeleted = false,
): Promise<StockItem[]> {
  const ids = rows.map(({ id }) => id);
  const [variants, levels] = await Promise.all([findVariants(db, ids), findLevels(db, ids)]);
  return rows.flatMap((row) => {
    const variant = variants.get(row.id);
    if (!variant || (variant.deleted && !includeDeleted)) return [];
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

function itemNotFound(id: string) {
  return notFound(`There is no stock item with the id ${id}.`);
}

/** Lists a page of items. Items of deleted variants are left out, so the page may be shorter than the limit. */
export async function listStockItems(db: TenantDatabase, query: StockItemQuery): Promise<IntegrationPage<StockItem>> {
  const page = await stockItems.page(db, query);
  return { ...page, items: await present(db, page.items) };
}

/** @throws not_found (404) */
export async function readStockItem(db: TenantDatabase, id: string): Promise<StockItem> {
  const [item] = await present(db, [await stockItems.require(db, id)], true);
  if (!item) throw itemNotFound(id);
  return item;
}

/** @throws not_found (404) */
export async function changeStockItem(db: TenantDatabase, id: string, patch: ChangeStockItem): Promise<StockItem> {
  return db.transaction(async (tx) => {
    const [, changed] = await runConcurrently([() => lockLevels(tx, id), () => updateItem(tx, id, patch)]);
    if (changed.length === 0) throw itemNotFound(id);
    // After the update, not concurrently: change recording reads the item before it writes it. The levels change too, so
    // that `updatedAfter` lists include the item.
    await runConcurrently([() => syncLevels(tx, id), () => recomputeLow(tx, id)]);
    return readStockItem(tx, id);
  });
}

/**
 * Adds or removes stock by hand, with a reason for the ledger.
 * @throws not_found (404), invalid_request (400) for a location without a level of the item, insufficient_stock (409)
 *   if the level would become negative and back-orders are not allowed
 */
export async function adjustStock(
  db: TenantDatabase,
  id: string,
  { quantity, reason, note, locationId }: AdjustStock,
): Promise<{ movement: StockMovement; stockItem: StockItem }> {
  return db.transaction(async (tx) => {
    // With its levels locked, no other transaction can move the stock of the item or change its policy.
    const [levels, item] = await Promise.all([lockLevels(tx, id), stockItems.find(tx, id)]);
    if (!item) throw itemNotFound(id);
    const targetId = locationId?.toLowerCase() ?? defaultLocation;
    const level = levels.find((candidate) => candidate.locationId === targetId);
    if (!level) throw invalidField('/locationId', 'must be a location that stocks the item');
    const onHand = level.onHand + quantity;
    if (quantity < 0 && onHand < 0 && item.backOrderPolicy === 'deny') {
      throw insufficientStock(`Cannot remove ${-quantity}: only ${level.onHand} on hand.`);
    }
    await setOnHand(tx, level, onHand);
    // After the update, not concurrently: change recording reads the level before it writes it.
    await recomputeLow(tx, id);
    const movement = await insertMovement(tx, level, { quantity, reason, note: note ?? null });
    const { id: variantId, lowStockLevel, tracked } = item;
    const before = sumOf(levels);
    const totals = { onHand: before.onHand + quantity, available: before.available + quantity };
    const resource = { type: 'stock_item', id: variantId };
    await publish(tx, stockAdjusted, resource, { variantId, quantity, reason, locationId: targetId, ...totals });
    const serving = await withServingLocations(tx, {}, async (locationIds) => locationIds);
    const { available } = sumOf(levels.filter((candidate) => serving.includes(candidate.locationId)));
    const left = serving.includes(targetId) ? available + quantity : available;
    if (tracked && available > lowStockLevel && left <= lowStockLevel) {
      await publish(tx, stockRanLow, resource, { variantId, available: left, lowStockLevel });
    }
    return { movement, stockItem: await readStockItem(tx, id) };
  });
}
