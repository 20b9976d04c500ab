/**
 * Queries of `stock_levels`, except those that move stock (`movements/`), and what keeps the columns of their items right.
 *
 * The columns `low` and `in_stock` of stock_items, which let lists of low items and of products in stock use an index.
 * Every statement that moves stock ends with the fragment below, which updates the item only if one of them changes.
 *
 * The available quantity is the sum over all locations, so such a statement locks all levels of an item, whichever of
 * them it changes, and then the item: concurrent sales from different locations cannot both overlook that together they
 * make it low. The low-stock level is read from the locked levels (`low_at`), because the statement would read a
 * concurrently changed item as of its snapshot.
 *
 * The same applies to the set of levels: a level created while the statement waited is neither locked nor counted. The
 * locked level of the default location stores the number of levels (`level_count`). If the statement has missed any,
 * another statement, which sees them, recomputes both.
 *
 * An item is in stock if a location has some of it, since locations count separately: back-orders at one do not reduce
 * another. Whether it is sold without stock is not part of the column, but of the generated column `sellable`.
 */
import type { TenantDatabase } from '@carton/runtime';
import { defaultLocation } from './locations.ts';

/** The stock of an item at one location. */
export interface LevelRow {
  stockItemId: string;
  locationId: string;
  onHand: number;
  reserved: number;
}

/**
 * Follows a CTE `sums (id, low_at, before, after, low, was_in_stock, in_stock)`: the available quantity of an item before
 * and after, the value of its column (null if not read), and whether a location has some before and after.
 */
export const markLow = `
  marks as (
    select id, coalesce(after <= low_at, false) as low, in_stock from sums
     where (before <= low_at) <> (after <= low_at) or low <> (after <= low_at) or was_in_stock <> in_stock
  ),
  marked as (
    update stock_items items set low = marks.low, in_stock = marks.in_stock
      from marks
     where items.tenant_id = $1 and items.id = any(array(select id from marks)) and items.id = marks.id
  )`;

/** For `sums`, over the locked levels: whether the item has further levels that the statement missed. */
export const isMissed = (levels: string) => `count(*) < max(${levels}.level_count)`;

/** The levels of items at all locations. */
export function findLevels(
  db: TenantDatabase,
  stockItemIds: readonly string[],
): Promise<(LevelRow & { updatedAt: string })[]> {
  if (stockItemIds.length === 0) return Promise.resolve([]);
  return db.query<LevelRow & { updatedAt: string }>(
    `select stock_item_id, location_id, on_hand, reserved, updated_at from stock_levels
      where tenant_id = $1 and stock_item_id = any($2) order by stock_item_id, location_id`,
    [stockItemIds],
  );
}

/** Locks all levels of an item until the transaction ends; to be sent before the item is read or changed. */
export function lockLevels(db: TenantDatabase, stockItemId: string): Promise<LevelRow[]> {
  return db.query<LevelRow>(
    `select stock_item_id, location_id, on_hand, reserved from stock_levels
      where tenant_id = $1 and stock_item_id = $2 order by location_id for update`,
    [stockItemId],
  );
}

/** Lets the levels of an item follow a change of the item. Both must be locked. */
export function syncLevels(db: TenantDatabase, stockItemId: string): Promise<unknown> {
  return db.query(
    `update stock_levels levels
        set low_at = case when items.tracked then items.low_stock_level end, updated_at = now()
       from stock_items items
      where levels.tenant_id = $1 and levels.stock_item_id = $2 and items.tenant_id = $1 and items.id = $2`,
    [stockItemId],
  );
}

/** Sets the quantity on hand at a location. The level must be locked. */
export async function setOnHand(
  db: TenantDatabase,
  { stockItemId, locationId }: Pick<LevelRow, 'stockItemId' | 'locationId'>,
  onHand: number,
): Promise<void> {
  await db.update(
    'stock_levels',
    { stockItemId, locationId },
    { onHand, backOrdered: onHand < 0, updatedAt: new Date() },
  );
}

/** Recomputes `low` and `in_stock` from the levels of an item, which must be locked. */
export function recomputeLow(db: TenantDatabase, stockItemId: string): Promise<unknown> {
  return db.query(
    `update stock_items items set low = sums.low, in_stock = sums.in_stock
       from (select coalesce(sum(on_hand - reserved) <= max(low_at), false) as low,
                    coalesce(bool_or(on_hand > reserved), false) as in_stock
               from stock_levels where tenant_id = $1 and stock_item_id = $2) sums
      where items.tenant_id = $1 and items.id = $2 and (items.low, items.in_stock) <> (sums.low, sums.in_stock)`,
    [stockItemId],
  );
}

/**
 * If a level is missing, locks the levels at the default location, which every item has, so that no item changes in the
 * meantime. `$4`: all variants that the transaction is about to move, to lock them in the common order.
 */
const openLevelsText = `
  with missing as (
    select place.variant_id, place.location_id
      from unnest($2::uuid[], $3::uuid[]) as place (variant_id, location_id)
     where not exists (select from stock_levels levels
                        where levels.tenant_id = $1 and levels.stock_item_id = place.variant_id
                          and levels.location_id = place.location_id)
  ),
  locked as (
    select levels.stock_item_id, levels.low_at, levels.level_count from stock_levels levels
     where levels.tenant_id = $1 and levels.stock_item_id = any($4::uuid[])
       and levels.location_id = '${defaultLocation}' and exists (select from missing)
     order by levels.stock_item_id
       for update
  ),
  opened as (
    insert into stock_levels (tenant_id, stock_item_id, location_id, low_at)
    select $1, missing.variant_id, missing.location_id, locked.low_at
      from missing join locked on locked.stock_item_id = missing.variant_id
     order by missing.variant_id, missing.location_id
        on conflict do nothing
    returning stock_item_id
  ),
  counts as (
    select locked.stock_item_id, locked.level_count + count(*)::integer as level_count
      from opened join locked on locked.stock_item_id = opened.stock_item_id
     group by locked.stock_item_id, locked.level_count
  )
  update stock_levels levels set level_count = counts.level_count
    from counts
   where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[]) and levels.stock_item_id = counts.stock_item_id
     and levels.location_id = '${defaultLocation}'`;

/**
 * Creates missing levels of variants at locations, with nothing on hand.
 * @param moved all variants whose stock the transaction moves next
 */
export async function openLevels(
  tx: TenantDatabase,
  variantIds: readonly string[],
  locationIds: readonly string[],
  moved = variantIds,
): Promise<void> {
  await tx.query(openLevelsText, [variantIds, locationIds, moved]);
}
