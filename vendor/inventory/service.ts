/**
 * Rules of stock: what can be had, all lines or none; and what staff change by hand.
 */
import { findVariants } from '@carton/product';
import { defineProblem, notFound, type Page, publish, type TenantDatabase } from '@carton/runtime';
import { stockAdjusted, stockLow, stockReleased, stockReserved } from './events.ts';
import {
  type NotableLine,
  releaseLines,
  reserveLines,
  returnLines,
  type StockLine,
  type StockReference,
  takeLines,
} from './movements.ts';
import type { AdjustStock, ChangeStockItem, StockItem, StockItemQuery, StockMovement } from './schemas.ts';
import { changeItem, findStockItem, listStockItems, lockStockItem, moveLevel, type StockItemRow } from './store.ts';

export const insufficientStock = defineProblem({
  code: 'insufficient_stock',
  status: 409,
  title: 'There is not enough in stock',
});

/**
 * Sells stock: takes all lines or none, in one statement, and writes the ledger. Lines of one variant are added up;
 * what is not tracked is always there and leaves no movement. Call it in the transaction of the sale; it locks the
 * variants' stock until that ends. Writes `stock.low` for what fell to its low-stock level.
 * @throws insufficient_stock (409) naming what is short and how many there are
 */
export async function takeStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
): Promise<void> {
  if (lines.length === 0) return;
  await settle(tx, await takeLines(tx, lines, reference));
}

/**
 * Puts back what was sold, all lines in one statement: for a canceled order or goods that came back. What is not
 * tracked, or not known, is passed over. Call it in the transaction that makes sure it happens once.
 */
export async function returnStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
): Promise<void> {
  if (lines.length > 0) await returnLines(tx, lines, reference);
}

/**
 * Holds stock for somebody without selling it, all lines or none, until `releaseStock` with the same reference.
 * To sell what is reserved, release and take it in one transaction.
 * @throws insufficient_stock (409)
 */
export async function reserveStock(
  tx: TenantDatabase,
  lines: readonly StockLine[],
  reference: StockReference,
): Promise<void> {
  if (lines.length === 0) return;
  await settle(tx, await reserveLines(tx, lines, reference));
  const held = lines.map(({ variantId, quantity }) => ({ variantId, quantity }));
  await publish(tx, stockReserved, reference, { reference, lines: held });
}

/** Frees everything that is reserved for a reference; nothing happens when that is nothing. */
export async function releaseStock(tx: TenantDatabase, reference: StockReference): Promise<void> {
  const lines = await releaseLines(tx, reference);
  if (lines.length > 0) await publish(tx, stockReleased, reference, { reference, lines });
}

/** Refuses what could not be had, else tells of what became low. */
async function settle(tx: TenantDatabase, notable: readonly NotableLine[]): Promise<void> {
  const refused = notable.filter((line) => line.refused);
  if (refused.length > 0) throw insufficientStock(await describeShortage(tx, refused));
  for (const { variantId, available, quantity, lowStockLevel } of notable) {
    const resource = { type: 'stock_item', id: variantId };
    await publish(tx, stockLow, resource, { variantId, available: available - quantity, lowStockLevel });
  }
}

async function describeShortage(db: TenantDatabase, lines: readonly NotableLine[]): Promise<string> {
  const variants = await findVariants(
    db,
    lines.map(({ variantId }) => variantId),
  );
  const parts = lines.map(({ variantId, quantity, available }) => {
    const variant = variants.get(variantId);
    const name = variant ? (variant.sku ?? `${variant.productTitle} ${variant.title}`) : `variant ${variantId}`;
    return `${name}: ${quantity} wanted, ${Math.max(available, 0)} available`;
  });
  return `${parts.join('; ')}.`;
}

/** Items as staff see them: with the names of their variants. Those of deleted variants are left out. */
async function present(db: TenantDatabase, rows: readonly StockItemRow[], deletedToo = false): Promise<StockItem[]> {
  const variants = await findVariants(
    db,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const variant = variants.get(row.id);
    if (!variant || (variant.deleted && !deletedToo)) return [];
    const { sku, title, productTitle } = variant;
    return { ...row, variantId: row.id, sku, variantTitle: title, productTitle, available: row.onHand - row.reserved };
  });
}

async function presentOne(db: TenantDatabase, row: StockItemRow | null, id: string): Promise<StockItem> {
  const [item] = row ? await present(db, [row], true) : [];
  if (!item) throw unknownItem(id);
  return item;
}

function unknownItem(id: string) {
  return notFound(`No stock item has the id ${id}.`);
}

/** A page of items; one that holds deleted variants is shorter than it could be. */
export async function stockItems(db: TenantDatabase, query: StockItemQuery): Promise<Page<StockItem>> {
  const { items, nextCursor } = await listStockItems(db, query);
  return { items: await present(db, items), nextCursor };
}

/** @throws not_found (404) */
export async function stockItem(db: TenantDatabase, id: string): Promise<StockItem> {
  return presentOne(db, await findStockItem(db, id), id);
}

/** @throws not_found (404) */
export async function changeStockItem(db: TenantDatabase, id: string, patch: ChangeStockItem): Promise<StockItem> {
  return db.transaction(async (tx) => {
    const changed = await changeItem(tx, id, patch);
    if (changed.length === 0) throw unknownItem(id);
    return stockItem(tx, id);
  });
}

/**
 * Adds or takes away stock by hand, with the reason in the ledger.
 * @throws not_found (404), insufficient_stock (409) when more is taken away than is on hand and none may be owed
 */
export async function adjustStock(
  db: TenantDatabase,
  id: string,
  { quantity, reason, note }: AdjustStock,
): Promise<{ movement: StockMovement; stockItem: StockItem }> {
  return db.transaction(async (tx) => {
    const before = await lockStockItem(tx, id);
    if (!before) throw unknownItem(id);
    const onHand = before.onHand + quantity;
    if (quantity < 0 && onHand < 0 && before.backOrderPolicy === 'deny') {
      throw insufficientStock(`${before.onHand} on hand, ${-quantity} cannot be taken away.`);
    }
    const movement = await moveLevel(tx, before, { quantity, reason, note: note ?? null });
    const { id: variantId, reserved, lowStockLevel, tracked } = before;
    const available = onHand - reserved;
    const resource = { type: 'stock_item', id: variantId };
    await publish(tx, stockAdjusted, resource, { variantId, quantity, reason, onHand, available });
    const becomesLow = tracked && before.onHand - reserved > lowStockLevel && available <= lowStockLevel;
    if (becomesLow) await publish(tx, stockLow, resource, { variantId, available, lowStockLevel });
    return { movement, stockItem: await stockItem(tx, id) };
  });
}
