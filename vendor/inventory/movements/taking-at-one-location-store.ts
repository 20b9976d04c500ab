/**
 * Selling from one location without a reservation: the common case, at less than half the cost of the general statement
 * in taking-store.ts, which explains locking and computed values.
 */
import { actorColumns, actorValues, type TenantDatabase } from '@carton/runtime';
import { isMissed, markLow } from '../levels-store.ts';
import { newIds, type Outcome, type StockArrays, type StockReference } from './lines.ts';

const takeText = `
  with requested as (
    select line.variant_id, line.quantity, line.row_id, items.tracked,
           items.back_order_policy = 'allow' as back_orders, items.low_stock_level, items.low
      from unnest($2::uuid[], $3::integer[], $4::uuid[]) as line (variant_id, quantity, row_id)
      left join stock_items items
        on items.tenant_id = $1 and items.id = any($2::uuid[]) and items.id = line.variant_id
  ),
  locked as (
    select requested.*, levels.location_id, levels.on_hand, levels.on_hand - levels.reserved as available, levels.low_at,
           levels.level_count
      from requested
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[])
       and levels.stock_item_id = requested.variant_id
     where requested.tracked
     order by requested.variant_id, levels.location_id
       for update of levels
  ),
  source as (
    select * from locked where location_id = $10
  ),
  outcomes as (
    select requested.variant_id, requested.quantity, requested.low_stock_level, source.available,
           coalesce(requested.tracked, true)
             and (source.available is null or (not source.back_orders and source.available < source.quantity)) as refused
      from requested left join source on source.variant_id = requested.variant_id
  ),
  verdict as (
    select not exists (select from outcomes where refused) as possible
  ),
  updated as (
    update stock_levels levels
       set on_hand = source.on_hand - source.quantity,
           back_ordered = source.back_orders and source.on_hand < source.quantity,
           updated_at = now()
      from source
     where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[]) and levels.location_id = $10
       and levels.stock_item_id = source.variant_id and (select possible from verdict)
  ),
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, reference_type,
                                 reference_id, ${actorColumns})
    select $1, row_id, variant_id, $10, -quantity, 'sold', $5, $6, $7, $8, $9
      from source
     where (select possible from verdict)
  ),
  sums as (
    select variant_id as id, max(low_at) as low_at, low, sum(available) as before, sum(available) - quantity as after,
           bool_or(available > 0) as was_in_stock,
           bool_or(available > case when location_id = $10 then quantity else 0 end) as in_stock,
           ${isMissed('locked')} as missed
      from locked
     where (select possible from verdict)
     group by variant_id, quantity, low
  ),
  ${markLow}
  select variant_id, case when refused then 'refused' else 'low' end as kind, quantity,
         case when refused then greatest(coalesce(available, 0), 0) else available - quantity end as available,
         coalesce(low_stock_level, 0) as low_stock_level
    from outcomes cross join verdict
   where case when possible then available > low_stock_level and available - quantity <= low_stock_level
              else refused end
  union all
  select id, 'missed', 0, 0, 0 from sums where missed
   order by variant_id`;

/** Sells all lines or none from one location; returns the outcomes that need handling. */
export function takeAtOneLocation(
  tx: TenantDatabase,
  { variantIds, quantities }: StockArrays,
  locationId: string,
  { type, id }: StockReference,
): Promise<Outcome[]> {
  const ids = newIds(variantIds.length);
  return tx.query<Outcome>(takeText, [variantIds, quantities, ids, type, id, ...actorValues(tx), locationId]);
}
