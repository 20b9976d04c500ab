/**
 * Availability over all locations that serve a sale: exact quantities for other packages, buckets for shoppers.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { availabilities, buckets } from '../items/schemas.ts';
import { type StockSale, withServingLocations } from '../locations.ts';
import type { StockReference } from '../movements/lines.ts';

export interface Availability {
  variantId: string;
  status: (typeof availabilities)[number];
  /** Approximate quantity for shoppers; null if the item is not tracked. */
  quantity: (typeof buckets)[number] | null;
  /** The maximum quantity that can be sold now; null without a limit (not tracked, or back-orders allowed). */
  limit: number | null;
}

export interface AvailabilityOptions {
  /** The caller's own reservation, whose stock counts as available. */
  reserved?: StockReference;
  sale?: StockSale;
}

interface AvailableRow {
  variantId: string;
  tracked: boolean;
  backOrders: boolean;
  available: number;
}

/**
 * Locations count separately: back-orders at one do not reduce another. The caller's own reservation counts as available,
 * even at a location that serves no other sale.
 */
const availableText = `
  with own as (
    select stock_item_id, location_id, sum(quantity)::integer as quantity from stock_reservations
     where tenant_id = $1 and reference_type = $4 and reference_id = $5
     group by 1, 2
  )
  select items.id as variant_id, items.tracked,
         items.back_order_policy = 'allow' and coalesce(bool_or(levels.location_id = any($3::uuid[])), false) as back_orders,
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

/** Availability by variant id, in one statement; unknown variants are omitted. */
export async function availabilityOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { reserved, sale = {} }: AvailabilityOptions = {},
): Promise<Map<string, Availability>> {
  if (variantIds.length === 0) return new Map();
  const own = [reserved?.type ?? null, reserved?.id ?? null];
  const rows = await withServingLocations(db, sale, (serving) =>
    db.query<AvailableRow>(availableText, [variantIds, serving, ...own]),
  );
  return new Map(rows.map((row) => [row.variantId, describe(row)]));
}

function describe({ variantId, tracked, backOrders, available }: AvailableRow): Availability {
  if (!tracked) return { variantId, status: 'in_stock', quantity: null, limit: null };
  const limit = backOrders ? null : available;
  if (available === 0)
    return { variantId, status: backOrders ? 'back_orderable' : 'out_of_stock', quantity: '0', limit };
  return { variantId, status: 'in_stock', quantity: available < 10 ? '1-9' : '10+', limit };
}
