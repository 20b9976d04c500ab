/**
 * Returning sold stock, in one statement over all lines, whatever is available. Rows are locked in the same order as in
 * taking-store.ts.
 */
import type { TenantDatabase } from '@carton/runtime';
import { isMissed, markLow } from '../levels-store.ts';
import { defaultLocation } from '../locations.ts';
import { newIds, type StockArrays, type StockReference } from './lines.ts';
import { recordColumns, recordFrom, recordOf } from './records-store.ts';

/**
 * Lines without a location return what the same reference has taken and not returned yet, by the ledger, whether or not the
 * item is tracked now: to other locations as far as it was taken there, the rest to the default location. Lines with a
 * location are goods that arrive there, whatever took them.
 */
const returnText = `
  with ledger as (
    select stock_item_id, location_id, -sum(quantity)::integer as quantity from stock_movements
     where tenant_id = $1 and reference_type = $9 and reference_id = $10
     group by 1, 2
  ),
  taken as (
    select stock_item_id, sum(quantity)::integer as quantity from ledger group by 1 having sum(quantity) > 0
  ),
  elsewhere as (
    select * from ledger where location_id <> '${defaultLocation}' and quantity > 0
  ),
  sources as (
    select line.variant_id, least(line.quantity, taken.quantity) as quantity, elsewhere.location_id,
           elsewhere.quantity as taken, coalesce(sum(elsewhere.quantity) over earlier, 0) as earlier
      from unnest($2::uuid[], $3::integer[]) as line (variant_id, quantity)
      join taken on taken.stock_item_id = line.variant_id
      left join elsewhere on elsewhere.stock_item_id = line.variant_id
     where line.quantity > 0
    window earlier as (partition by line.variant_id order by elsewhere.location_id
                       rows between unbounded preceding and 1 preceding)
  ),
  parts as (
    select placed.variant_id, placed.location_id, placed.quantity
      from unnest($4::uuid[], $5::uuid[], $6::integer[]) as placed (variant_id, location_id, quantity)
      join stock_items items
        on items.tenant_id = $1 and items.id = any($7::uuid[]) and items.id = placed.variant_id and items.tracked
    union all
    select variant_id, location_id, least(taken, greatest(quantity - earlier, 0)) from sources where taken > 0
    union all
    select variant_id, '${defaultLocation}', quantity - coalesce(sum(taken), 0)
      from sources group by variant_id, quantity
  ),
  returned as (
    select variant_id, location_id, sum(quantity)::integer as quantity from parts where quantity > 0 group by 1, 2
  ),
  locked as (
    select levels.stock_item_id, levels.location_id, levels.on_hand, levels.reserved, levels.low_at,
           levels.level_count, items.low
      from stock_items items
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = any($7::uuid[]) and levels.stock_item_id = items.id
     where items.tenant_id = $1 and items.id = any($7::uuid[])
     order by levels.stock_item_id, levels.location_id
       for update of levels
  ),
  targets as (
    select locked.stock_item_id, locked.location_id, locked.on_hand, returned.quantity
      from locked
      join returned on returned.variant_id = locked.stock_item_id and returned.location_id = locked.location_id
  ),
  updated as (
    update stock_levels levels
       set on_hand = targets.on_hand + targets.quantity,
           back_ordered = targets.on_hand + targets.quantity < 0,
           updated_at = now()
      from targets
     where levels.tenant_id = $1 and levels.stock_item_id = any($7::uuid[])
       and levels.stock_item_id = targets.stock_item_id and levels.location_id = targets.location_id
       and (select count(*) from targets) > 0
  ),
  sums as (
    select locked.stock_item_id as id, max(locked.low_at) as low_at, locked.low,
           sum(locked.on_hand - locked.reserved) as before,
           sum(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0)) as after,
           bool_or(locked.on_hand > locked.reserved) as was_in_stock,
           bool_or(locked.on_hand - locked.reserved + coalesce(targets.quantity, 0) > 0) as in_stock,
           ${isMissed('locked')} as missed
      from locked
      left join targets on targets.stock_item_id = locked.stock_item_id and targets.location_id = locked.location_id
     group by locked.stock_item_id, locked.low
  ),
  ${markLow},
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, ${recordColumns})
    select $1, coalesce(($8::uuid[])[row_number() over ()], gen_random_uuid()), stock_item_id, location_id, quantity,
           'returned', ${recordColumns}
      from targets cross join ${recordFrom('$11')}
  )
  select id as variant_id from sums where missed order by id`;

/** Returns lines; returns the variants with levels that the statement has missed. */
export function returnTaken(
  tx: TenantDatabase,
  { variantIds, anywhere, placed }: StockArrays,
  reference: StockReference,
): Promise<{ variantId: string }[]> {
  const { variantIds: placedIds, locationIds, quantities } = placed;
  const ids = newIds(variantIds.length + placedIds.length);
  const places = [placedIds, locationIds, quantities];
  const { type, id } = reference;
  const values = [variantIds, anywhere, ...places, variantIds, ids, type, id, recordOf(tx, reference)];
  return tx.query<{ variantId: string }>(returnText, values);
}
