/**
 * Queries of the inventory tables, except those that move stock (taking.ts, returning.ts).
 */
import { findVariants } from '@carton/product';
import { actedBy, json, newId, rows, runConcurrently, type TenantDatabase } from '@carton/runtime';
import { lockLevels, recomputeLow, syncLevelsAndLow } from '../levels-store.ts';
import { defaultLocation } from '../locations.ts';
import type { StockReference } from '../movements/lines.ts';
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

/** The stock of an item at one location. */
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

/** Creates the stock items of new variants: tracked, none on hand. */
export async function insertStockItems(db: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  const variants = await findVariants(db, variantIds);
  const productIds = variantIds.map((id) => variants.get(id)?.productId ?? null);
  await db.query(
    `with items as (
       insert into stock_items (tenant_id, id, product_id)
       select $1, * from unnest($2::uuid[], $3::uuid[]) returning id
     ),
     counted as (
       insert into product_stock (tenant_id, product_id, units)
       select $1, id, 0 from products where tenant_id = $1 and id = any($3::uuid[]) and status = 'published'
       on conflict (tenant_id, product_id) do nothing
     )
     insert into stock_levels (tenant_id, stock_item_id, location_id) select $1, id, '${defaultLocation}' from items`,
    [variantIds, productIds],
  );
}

/** Changes of levels count as changes of their item in `updatedAfter` lists. */
export const stockItems = rows<StockItemRow>({
  table: 'stock_items',
  noun: 'stock item',
  filters: { variantId: (listed, id: string) => listed.where('stock_items.id', id) },
  changeSource: { table: 'stock_levels', id: 'stock_item_id', resource: 'product_variants' },
});

/** Movements and reservations are only listed here; taking.ts and returning.ts write them. */
export const { page: listMovements } = rows<StockMovement>({ table: 'stock_movements', noun: 'movement' });
export const { page: listReservations } = rows<ReservationRow>({ table: 'stock_reservations', noun: 'reservation' });

/** The levels of items at all locations. */
export function findLevels(db: TenantDatabase, stockItemIds: readonly string[]): Promise<LevelRow[]> {
  if (stockItemIds.length === 0) return Promise.resolve([]);
  return db.query<LevelRow>(
    `select stock_item_id, location_id, on_hand, reserved, updated_at from stock_levels
      where tenant_id = $1 and stock_item_id = any($2) order by stock_item_id, location_id`,
    [stockItemIds],
  );
}

/**
 * Locks an item and its levels until the transaction ends: no other transaction can move its stock or change its policy.
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

/** Changes an item and updates its levels' timestamps, so that `updatedAfter` lists include it; returns the changed row. */
export async function changeItem(db: TenantDatabase, id: string, patch: ItemPatch): Promise<unknown[]> {
  const metadata = patch.metadata && json(patch.metadata);
  const [, changed] = await runConcurrently([
    () => lockLevels(db, id),
    () => db.update('stock_items', { id }, { ...patch, metadata, updatedAt: new Date() }),
    () => syncLevelsAndLow(db, id),
  ]);
  return changed;
}

/** Adjusts the quantity on hand at a location and writes the movement. The level must be locked. */
export async function adjustLevel(
  db: TenantDatabase,
  { stockItemId, locationId, onHand: before }: LevelRow,
  movement: { quantity: number; reason: string; note: string | null },
): Promise<StockMovement> {
  const key = { stockItemId, locationId };
  const onHand = before + movement.quantity;
  await db.update('stock_levels', key, { onHand, backOrdered: onHand < 0, updatedAt: new Date() });
  // After the update, not concurrently: change recording reads the level before it writes it.
  await recomputeLow(db, stockItemId);
  return db.insert<StockMovement>('stock_movements', {
    id: newId(),
    ...key,
    ...movement,
    ...actedBy(db),
  });
}

/** References with expired reservations, earliest expiry first. */
export function findExpired(db: TenantDatabase, limit: number): Promise<StockReference[]> {
  return db.query<StockReference>(
    `select reference_type as type, reference_id as id from stock_reservations
      where tenant_id = $1 and ends_at <= now()
      group by 1, 2 order by min(ends_at) limit $2`,
    [limit],
  );
}

/**
 * SQL value: the units reserved for a reference. For statements of other packages; `$1` is the tenant.
 * @param id the column or parameter with the id of the reference
 */
export function reservedUnits(type: string, id: string): string {
  return `(select coalesce(sum(stock_reservations.quantity), 0)::bigint from stock_reservations
            where stock_reservations.tenant_id = $1 and stock_reservations.reference_type = '${type}'
              and stock_reservations.reference_id = ${id})`;
}

/**
 * SQL condition: the stock of a variant is tracked. For statements of other packages; `$1` is the tenant.
 * @param variantId the column or parameter with its id
 */
export function isTracked(variantId: string): string {
  return `exists (select from stock_items where stock_items.tenant_id = $1 and stock_items.id = ${variantId}
                     and stock_items.tracked)`;
}
