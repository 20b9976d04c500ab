/**
 * Which items are low is a column, so that a list of them reads an index: `low` of stock_items. A statement that moves
 * stock ends with what stands here and writes the item only where it becomes low or ceases to be.
 *
 * What is available counts over all locations, so such a statement locks all levels of an item, whichever of them it
 * changes, and then the item: two that sell from different locations do not both miss that together they make it low.
 * The low-stock level is read from the locked levels (`low_at`), since an item that was changed meanwhile would be read
 * as it was when the statement began.
 *
 * So is which levels there are: one that was opened while the statement waited is not among those it locks, and is not
 * counted. Of the locked levels that of the default location knows how many there are (`level_count`), and where some
 * were missed, `low` is set anew by another statement, which sees them.
 */
import type { TenantDatabase } from '@carton/runtime';

/**
 * Goes on from `sums (id, low_at, before, after, low)`: what is available of an item before and after, and what its
 * column says (null when it was not read).
 */
export const markLow = `
  marks as (
    select id, after <= low_at as low from sums
     where (before <= low_at) <> (after <= low_at) or low <> (after <= low_at)
  ),
  marked as (
    update stock_items items set low = marks.low
      from marks
     where items.tenant_id = $1 and items.id = any(array(select id from marks)) and items.id = marks.id
  )`;

/** In `sums`, over the locked levels: whether the item has more of them. */
export const isMissed = (levels: string) => `count(*) < max(${levels}.level_count)`;

/**
 * Sets `low` anew of items of which a statement has missed levels. Those it has locked keep all others waiting, also
 * whoever opens one more.
 */
export async function settleMissed(db: TenantDatabase, missed: readonly { variantId: string }[]): Promise<void> {
  for (const { variantId } of missed) await settleLow(db, variantId);
}

/** Locks all levels of an item until the transaction ends; to be sent before the item is changed or looked at. */
export function lockLevels<Level>(db: TenantDatabase, stockItemId: string): Promise<Level[]> {
  return db.query<Level & object>(
    `select stock_item_id, location_id, on_hand, reserved from stock_levels
      where tenant_id = $1 and stock_item_id = $2 order by location_id for update`,
    [stockItemId],
  );
}

/** Has the levels and `low` of an item follow from the item and its stock, which are locked. */
export function followItem(db: TenantDatabase, stockItemId: string): Promise<unknown> {
  return Promise.all([
    db.query(
      `update stock_levels levels
          set low_at = case when items.tracked then items.low_stock_level end, updated_at = now()
         from stock_items items
        where levels.tenant_id = $1 and levels.stock_item_id = $2 and items.tenant_id = $1 and items.id = $2`,
      [stockItemId],
    ),
    settleLow(db, stockItemId),
  ]);
}

/** Sets `low` by the levels of an item, which are locked. */
export function settleLow(db: TenantDatabase, stockItemId: string): Promise<unknown> {
  return db.query(
    `update stock_items items set low = sums.low
       from (select coalesce(sum(on_hand - reserved) <= max(low_at), false) as low from stock_levels
              where tenant_id = $1 and stock_item_id = $2) sums
      where items.tenant_id = $1 and items.id = $2 and items.low <> sums.low`,
    [stockItemId],
  );
}
