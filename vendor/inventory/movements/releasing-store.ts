/**
 * Releasing reservations, in one statement over all lines. Rows are locked in the same order as in taking-store.ts.
 */
import type { TenantDatabase } from '@carton/runtime';
import { isMissed, markLow } from '../levels-store.ts';
import type { StockLine, StockReference } from './lines.ts';

/** `$4`: only expired reservations, checked once locked, because the owner may have extended them. */
const releaseText = `
  with own_rows as materialized (
    select id, stock_item_id, location_id, quantity from stock_reservations
     where tenant_id = $1 and reference_type = $2 and reference_id = $3 and (not $4 or ends_at <= now())
     order by stock_item_id, location_id, id
       for update
  ),
  released as (
    delete from stock_reservations where tenant_id = $1 and id = any(array(select id from own_rows))
  ),
  locked as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, levels.low_at,
           levels.level_count
      from stock_levels levels
     where levels.tenant_id = $1 and levels.stock_item_id = any(array(select stock_item_id from own_rows))
     order by levels.stock_item_id, levels.location_id
       for update
  ),
  targets as (
    select own.*, locked.reserved
      from (select stock_item_id, location_id, sum(quantity)::integer as quantity from own_rows group by 1, 2) own
      join locked on locked.stock_item_id = own.stock_item_id and locked.location_id = own.location_id
  ),
  updated as (
    update stock_levels levels
       set reserved = targets.reserved - targets.quantity, updated_at = now()
      from targets
     where levels.tenant_id = $1 and levels.stock_item_id = targets.stock_item_id
       and levels.location_id = targets.location_id
       and (select count(*) from targets) > 0
  ),
  sums as (
    select locked.stock_item_id as id, max(locked.low_at) as low_at, null::boolean as low,
           sum(locked.on_hand - locked.reserved) as before,
           sum(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0)) as after,
           bool_or(locked.on_hand > locked.reserved) as was_in_stock,
           bool_or(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0) > 0) as in_stock,
           ${isMissed('locked')} as missed
      from locked
      left join targets on targets.stock_item_id = locked.stock_item_id and targets.location_id = locked.location_id
     group by locked.stock_item_id
  ),
  ${markLow}
  select targets.stock_item_id as variant_id, sum(targets.quantity)::integer as quantity, sums.missed
    from targets join sums on sums.id = targets.stock_item_id
   group by targets.stock_item_id, sums.missed order by targets.stock_item_id`;

/**
 * Releases the reservation of a reference; returns the released quantity of each variant, and whether it has levels that
 * the statement has missed.
 * @param expiredOnly skip rows without an expiry or before it
 */
export function releaseReserved(
  tx: TenantDatabase,
  { type, id }: StockReference,
  expiredOnly: boolean,
): Promise<(StockLine & { missed: boolean })[]> {
  return tx.query<StockLine & { missed: boolean }>(releaseText, [type, id, expiredOnly]);
}
