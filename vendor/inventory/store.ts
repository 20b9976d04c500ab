/**
 * Queries of the tables of inventory, but for moving stock (movements.ts).
 */
import { newId, type Page, paginate, type TenantDatabase } from '@carton/runtime';
import type { StockItemQuery, StockMovement, StockReservationQuery } from './schemas.ts';

/** The location of a shop that keeps one only. */
export const defaultLocation = '00000000-0000-0000-0000-000000000000';

export interface StockItemRow {
  id: string;
  tracked: boolean;
  backOrderPolicy: 'deny' | 'allow';
  lowStockLevel: number;
  onHand: number;
  reserved: number;
  createdAt: string;
  updatedAt: string;
}

export interface ReservationRow {
  id: string;
  stockItemId: string;
  quantity: number;
  referenceType: string;
  referenceId: string;
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

const itemWithLevel = `
  select items.id, items.tracked, items.back_order_policy, items.low_stock_level,
         levels.on_hand, levels.reserved, items.created_at, greatest(items.updated_at, levels.updated_at) as updated_at
    from stock_items items
    join stock_levels levels
      on levels.tenant_id = $1 and levels.stock_item_id = items.id and levels.location_id = '${defaultLocation}'
   where items.tenant_id = $1 and items.id = $2`;

export async function findStockItem(db: TenantDatabase, id: string): Promise<StockItemRow | null> {
  const [row] = await db.query<StockItemRow>(itemWithLevel, [id]);
  return row ?? null;
}

/** The item as it stays until the transaction ends: nobody else moves its stock or changes its policy meanwhile. */
export async function lockStockItem(db: TenantDatabase, id: string): Promise<StockItemRow | null> {
  const [row] = await db.query<StockItemRow>(`${itemWithLevel} for update`, [id]);
  return row ?? null;
}

export function listStockItems(db: TenantDatabase, query: StockItemQuery): Promise<Page<StockItemRow>> {
  const { variantId, low } = query;
  const items = db
    .table<StockItemRow>('stock_items')
    .join('stock_levels', (join) =>
      join.on('stock_levels.tenant_id', 'stock_items.tenant_id').andOn('stock_levels.stock_item_id', 'stock_items.id'),
    )
    .where('stock_levels.location_id', defaultLocation)
    .select(
      'stock_items.*',
      'stock_levels.on_hand',
      'stock_levels.reserved',
      db.raw('greatest(stock_items.updated_at, stock_levels.updated_at) as updated_at'),
    );
  if (variantId) items.where('stock_items.id', variantId);
  const isLow = 'tracked and on_hand - reserved <= low_stock_level';
  if (low !== undefined) items.whereRaw(low ? isLow : `not (${isLow})`);
  return paginate(items as never, 'stock_items', query);
}

export function changeItem(
  db: TenantDatabase,
  id: string,
  patch: { tracked?: boolean; backOrderPolicy?: 'deny' | 'allow'; lowStockLevel?: number },
): Promise<unknown[]> {
  return db.update('stock_items', { id }, { ...patch, updatedAt: new Date() });
}

/** Sets what is on hand, with the movement that explains it. The item is locked. */
export async function moveLevel(
  db: TenantDatabase,
  item: StockItemRow,
  movement: { quantity: number; reason: string; note: string | null },
): Promise<StockMovement> {
  const place = { stockItemId: item.id, locationId: defaultLocation };
  const onHand = item.onHand + movement.quantity;
  await db.update('stock_levels', place, { onHand, backOrdered: onHand < 0, updatedAt: new Date() });
  const { actor } = db;
  return db.insert<StockMovement>('stock_movements', {
    id: newId(),
    ...place,
    ...movement,
    actorType: actor?.type ?? null,
    actorId: actor?.id ?? null,
    actorLabel: actor?.label ?? null,
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
