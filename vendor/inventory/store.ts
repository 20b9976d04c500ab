/**
 * Queries of the tables of inventory, but for moving stock (taking.ts, returning.ts).
 */
import {
  actedBy,
  followChanges,
  type IntegrationPage,
  json,
  newId,
  type Page,
  paginate,
  paginateIntegration,
  refuseFilters,
  type TenantDatabase,
} from '@carton/runtime';
import type { StockReference } from './lines.ts';
import { defaultLocation } from './locations.ts';
import { followItem, lockLevels, settleLow } from './lowness.ts';
import type { backOrderPolicies, StockItemQuery, StockMovement, StockReservationQuery } from './schemas.ts';

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

const policy = `items.id, items.tracked, items.back_order_policy, items.low_stock_level, items.external_id, items.metadata, items.created_at,
         items.updated_at`;

export async function findStockItem(db: TenantDatabase, id: string): Promise<StockItemRow | null> {
  const [row] = await db.query<StockItemRow>(
    `select ${policy} from stock_items items where items.tenant_id = $1 and items.id = $2`,
    [id],
  );
  return row ?? null;
}

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
  const [levels, item] = await Promise.all([lockLevels<LevelRow>(db, id), findStockItem(db, id)]);
  return item && { item, levels };
}

/** A page of items. Whoever follows them is told of those whose stock was moved, too. */
export async function listStockItems(
  db: TenantDatabase,
  query: StockItemQuery,
): Promise<IntegrationPage<StockItemRow>> {
  const { variantId, low, updatedAfter } = query;
  const items = db.table<StockItemRow>('stock_items');
  if (updatedAfter !== undefined) {
    refuseFilters({ variantId, low, externalId: query.externalId });
    const levels = db.table<LevelRow & { id: string }>('stock_levels').select('stock_item_id as id', 'updated_at');
    const followed = { table: 'stock_levels', id: 'stock_item_id', resource: 'product_variants' };
    const page = await followChanges<{ id: string; updatedAt: string }>(db, levels as never, followed, {
      ...query,
      updatedAfter,
    });
    const ids = [...new Set(page.items.map(({ id }) => id))];
    const rows = new Map((await items.whereIn('id', ids)).map((row) => [row.id, row]));
    return { ...page, items: ids.flatMap((id) => rows.get(id) ?? []) };
  }
  if (variantId) items.where('stock_items.id', variantId);
  if (low !== undefined) items.where('stock_items.low', low);
  return paginateIntegration(db, items, 'stock_items', query);
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

export function listMovements(
  db: TenantDatabase,
  stockItemId: string,
  query: { limit: number; cursor?: string; reason?: string },
): Promise<Page<StockMovement>> {
  const movements = db.table<StockMovement>('stock_movements').where('stock_item_id', stockItemId);
  if (query.reason) movements.where('reason', query.reason);
  return paginate(movements as never, 'stock_movements', query);
}

export function listReservations(db: TenantDatabase, query: StockReservationQuery): Promise<Page<ReservationRow>> {
  const { stockItemId, referenceId } = query;
  const reservations = db.table<ReservationRow>('stock_reservations');
  if (stockItemId) reservations.where('stock_item_id', stockItemId);
  if (referenceId) reservations.where('reference_id', referenceId);
  return paginate(reservations, 'stock_reservations', query);
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
