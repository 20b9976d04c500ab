/**
 * Selling from one location what nothing is reserved of: what most sales are, at less than half of what the statement for
 * every case costs (taking.ts, which says how rows are locked and values made).
 */
import { actorColumns, actorValues, type TenantDatabase } from '@carton/runtime';
import { newIds, type Outcome, type StockArrays, type StockReference } from './lines.ts';
import { isMissed, markLow } from './lowness.ts';

const takeText = `
  with wanted as (
    select line.variant_id, line.quantity, line.row_id, items.tracked,
           items.back_order_policy = 'allow' as back_orders, items.low_stock_level, items.low
      from unnest($2::uuid[], $3::integer[], $4::uuid[]) as line (variant_id, quantity, row_id)
      left join stock_items items
        on items.tenant_id = $1 and items.id = any($2::uuid[]) and items.id = line.variant_id
  ),
  locked as (
    select wanted.*, levels.location_id, levels.on_hand, levels.on_hand - levels.reserved as available, levels.low_at,
           levels.level_count
      from wanted
      join stock_levels levels
        on levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[])
       and levels.stock_item_id = wanted.variant_id
     where wanted.tracked
     order by wanted.variant_id, levels.location_id
       for update of levels
  ),
  held as (
    select * from locked where location_id = $10
  ),
  outcomes as (
    select wanted.variant_id, wanted.quantity, wanted.low_stock_level, held.available,
           coalesce(wanted.tracked, true)
             and (held.available is null or (not held.back_orders and held.available < held.quantity)) as refused
      from wanted left join held on held.variant_id = wanted.variant_id
  ),
  verdict as (
    select not exists (select from outcomes where refused) as possible
  ),
  taken as (
    update stock_levels levels
       set on_hand = held.on_hand - held.quantity,
           back_ordered = held.back_orders and held.on_hand < held.quantity,
           updated_at = now()
      from held
     where levels.tenant_id = $1 and levels.stock_item_id = any($2::uuid[]) and levels.location_id = $10
       and levels.stock_item_id = held.variant_id and (select possible from verdict)
  ),
  written as (
    insert into stock_movements (tenant_id, id, stock_item_id, location_id, quantity, reason, reference_type,
                                 reference_id, ${actorColumns})
    select $1, row_id, variant_id, $10, -quantity, 'sold', $5, $6, $7, $8, $9
      from held
     where (select possible from verdict)
  ),
  sums as (
    select variant_id as id, max(low_at) as low_at, low, sum(available) as before, sum(available) - quantity as after,
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

/** Sells all lines or none from one location; answers what is notable of it. */
export function takeAtOne(
  tx: TenantDatabase,
  { variantIds, quantities }: StockArrays,
  locationId: string,
  { type, id }: StockReference,
): Promise<Outcome[]> {
  const ids = newIds(variantIds.length);
  return tx.query<Outcome>(takeText, [variantIds, quantities, ids, type, id, ...actorValues(tx), locationId]);
}
