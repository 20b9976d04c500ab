/**
 * Queries of the tables of inventory, but for moving stock (taking.ts, returning.ts).
 */
import { actedBy, json, newId, rows, type TenantDatabase } from '@carton/runtime';
import type { StockReference } from './lines.ts';
import { defaultLocation } from './locations.ts';
import { followItem, lockLevels, settleLow } from './lowness.ts';
import type { backOrderPolicies, StockMovement } from './schemas.ts';

export interface StockItemRow {
  id: string;
  tracked: boolean;
  backOrderPolicy: (typeof backOrderPolicies)[number];
  lowStockLevel: number;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** What there is of an item at one location. */
export interface LevelRow {
  stockItemId: string;
  locationId: string;
  onHand: number;
  reserved: number;
  updatedAt: string;
}

export interface ReservationRow {
  id: string;
  stockItemId: string;
  locationId: string;
  quantity: number;
  referenceType: string;
  referenceId: string;
  endsAt: string | null;
  createdAt: string;
}

/** New variants are tracked, with nothing on hand. */
export async function insertStockItems(db: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  await db.query(
    `with items as (
       insert into stock_items (tenant_id, id) select $1, id from unnest($2::uuid[]) as id returning id
     )
     insert into stock_levels (tenant_id, stock_item_id, location_id) select $1, id, '${defaultLocation}' from items`,
    [variantIds],
  );
}

/** Whoever follows items is told of those whose stock was moved, too. */
export const stockItems = rows<StockItemRow>({
  table: 'stock_items',
  noun: 'stock item',
  filters: { variantId: (listed, id: string) => listed.where('stock_items.id', id) },
  changeSource: { table: 'stock_levels', id: 'stock_item_id', resource: 'product_variants' },
});

/** Movements and reservations are written where stock is moved, and listed here. */
export const { page: listMovements } = rows<StockMovement>({ table: 'stock_movements', noun: 'movement' });
export const { page: listReservations } = rows<ReservationRow>({ table: 'stock_reservations', noun: 'reservation' });

/** What there is of items at each location. */
export function findLevels(db: TenantDatabase, stockItemIds: readonly string[]): Promise<LevelRow[]> {
  if (stockItemIds.length === 0) return Promise.resolve([]);
  return db.query<LevelRow>(
    `select stock_item_id, location_id, on_hand, reserved, updated_at from stock_levels
      where tenant_id = $1 and stock_item_id = any($2) order by stock_item_id, location_id`,
    [stockItemIds],
  );
}

/**
 * The item and its levels as they stay until the transaction ends: nobody else moves its stock or changes its policy
 * meanwhile.
 */
export async function lockStockItem(
  db: TenantDatabase,
  id: string,
): Promise<{ item: StockItemRow; levels: LevelRow[] } | null> {
  const [levels, item] = await Promise.all([lockLevels<LevelRow>(db, id), stockItems.find(db, id)]);
  return item && { item, levels };
}

type ItemPatch = Partial<
  Pick<StockItemRow, 'tracked' | 'backOrderPolicy' | 'lowStockLevel' | 'externalId' | 'metadata'>
>;

/** Changes an item; by the times of its levels whoever follows stock is told of it. Answers the item as it is now. */
export async function changeItem(db: TenantDatabase, id: string, patch: ItemPatch): Promise<unknown[]> {
  const metadata = patch.metadata && json(patch.metadata);
  const [, changed] = await Promise.all([
    lockLevels(db, id),
    db.update('stock_items', { id }, { ...patch, metadata, updatedAt: new Date() }),
    followItem(db, id),
  ]);
  return changed;
}

/** Sets what is on hand at a location, with the movement that explains it. The level is locked. */
export async function moveLevel(
  db: TenantDatabase,
  { stockItemId, locationId, onHand: before }: LevelRow,
  movement: { quantity: number; reason: string; note: string | null },
): Promise<StockMovement> {
  const place = { stockItemId, locationId };
  const onHand = before + movement.quantity;
  await db.update('stock_levels', place, { onHand, backOrdered: onHand < 0, updatedAt: new Date() });
  // After it, not beside it: where changes are recorded, the level is read before it is written.
  await settleLow(db, stockItemId);
  return db.insert<StockMovement>('stock_movements', {
    id: newId(),
    ...place,
    ...movement,
    ...actedBy(db),
  });
}

/** References that have reservations which have come to their end, those first that ended first. */
export function findEnded(db: TenantDatabase, limit: number): Promise<StockReference[]> {
  return db.query<StockReference>(
    `select reference_type as type, reference_id as id from stock_reservations
      where tenant_id = $1 and ends_at <= now()
      group by 1, 2 order by min(ends_at) limit $2`,
    [limit],
  );
}
