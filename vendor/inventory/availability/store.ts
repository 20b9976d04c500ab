/**
 * Queries of what can be sold.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { StockReference } from '../movements/lines.ts';

export interface AvailableRow {
  variantId: string;
  tracked: boolean;
  /** Whether a location that serves the sale may owe units to shoppers. */
  backOrders: boolean;
  /** Units at the locations that serve the sale, and what the caller has reserved elsewhere. */
  available: number;
}

const itemColumns = `
  items.id as variant_id, items.tracked, items.back_order_policy = 'allow' and`;

/** Most sales have nothing reserved, and read less. */
const availableText = `
  select ${itemColumns} count(levels.location_id) > 0 as back_orders,
         coalesce(sum(greatest(levels.on_hand - levels.reserved, 0)), 0)::integer as available
    from stock_items items
    left join stock_levels levels
      on levels.tenant_id = $1 and levels.stock_item_id = items.id and levels.location_id = any($3::uuid[])
   where items.tenant_id = $1 and items.id = any($2::uuid[])
   group by items.tenant_id, items.id`;

const availableToText = `
  with own as (
    select stock_item_id, location_id, sum(quantity)::integer as quantity from stock_reservations
     where tenant_id = $1 and reference_type = $4 and reference_id = $5
     group by 1, 2
  )
  select ${itemColumns} coalesce(bool_or(levels.location_id = any($3::uuid[])), false) as back_orders,
         coalesce(sum(least(
           greatest(levels.on_hand - levels.reserved + coalesce(own.quantity, 0), 0),
           case when levels.location_id = any($3::uuid[]) then null else own.quantity end)), 0)::integer as available
    from stock_items items
    left join stock_levels levels
      on levels.tenant_id = $1 and levels.stock_item_id = items.id
     and (levels.location_id = any($3::uuid[])
          or exists (select from own where stock_item_id = levels.stock_item_id and location_id = levels.location_id))
    left join own on own.stock_item_id = levels.stock_item_id and own.location_id = levels.location_id
   where items.tenant_id = $1 and items.id = any($2::uuid[])
   group by items.tenant_id, items.id`;

/**
 * The stock of variants at the locations that serve a sale; unknown variants are omitted. Locations count separately:
 * back-orders at one do not reduce another. The caller's own reservation counts as available, even at a location that
 * serves no other sale.
 */
export function findAvailable(
  db: TenantDatabase,
  variantIds: readonly string[],
  locationIds: readonly string[],
  reserved: StockReference | undefined,
): Promise<AvailableRow[]> {
  if (!reserved) return db.query<AvailableRow>(availableText, [variantIds, locationIds]);
  return db.query<AvailableRow>(availableToText, [variantIds, locationIds, reserved.type, reserved.id]);
}
