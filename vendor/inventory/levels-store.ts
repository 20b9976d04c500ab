/**
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

/**
 * Recomputes the columns of items whose levels a statement has missed. The locks on the other levels block all concurrent
 * changes, including new levels.
 */
export async function recomputeMissed(db: TenantDatabase, missed: readonly { variantId: string }[]): Promise<void> {
  for (const { variantId } of missed) await recomputeLow(db, variantId);
}

/** Locks all levels of an item until the transaction ends; to be sent before the item is read or changed. */
export function lockLevels<Level>(db: TenantDatabase, stockItemId: string): Promise<Level[]> {
  return db.query<Level & object>(
    `select stock_item_id, location_id, on_hand, reserved from stock_levels
      where tenant_id = $1 and stock_item_id = $2 order by location_id for update`,
    [stockItemId],
  );
}

/** Updates the levels and the columns of an item after a change of the item. Both must be locked. */
export function syncLevelsAndLow(db: TenantDatabase, stockItemId: string): Promise<unknown> {
  return Promise.all([
    db.query(
      `update stock_levels levels
          set low_at = case when items.tracked then items.low_stock_level end, updated_at = now()
         from stock_items items
        where levels.tenant_id = $1 and levels.stock_item_id = $2 and items.tenant_id = $1 and items.id = $2`,
      [stockItemId],
    ),
    recomputeLow(db, stockItemId),
  ]);
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
