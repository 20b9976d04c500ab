/**
 * What can be had now, over all locations that serve a sale: in numbers for other packages, without exact numbers for
 * shoppers.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { StockReference } from './lines.ts';
import { atServingLocations, type StockSale } from './locations.ts';
import type { availabilities, buckets } from './schemas.ts';

export interface Availability {
  variantId: string;
  status: (typeof availabilities)[number];
  /** About how many there are, as shoppers may know it; null when they are not counted. */
  quantity: (typeof buckets)[number] | null;
  /** The most that can be had now; null when there is no limit: not tracked, or back-orders are allowed. */
  limit: number | null;
}

export interface AvailabilityOptions {
  /** What is reserved under this reference is available to whoever asks. */
  reserved?: StockReference;
  sale?: StockSale;
}

interface Stocked {
  variantId: string;
  tracked: boolean;
  backOrders: boolean;
  available: number;
}

/**
 * Each location counts for itself: what one owes takes nothing from another. Where something is reserved for whoever
 * asks, that much is there too, also at a location that serves no other sale.
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

/** Availability by variant id, in one statement; a variant that is not known is left out. */
export async function availabilityOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { reserved, sale = {} }: AvailabilityOptions = {},
): Promise<Map<string, Availability>> {
  if (variantIds.length === 0) return new Map();
  const own = [reserved?.type ?? null, reserved?.id ?? null];
  const rows = await atServingLocations(db, sale, (serving) =>
    db.query<Stocked>(availableText, [variantIds, serving, ...own]),
  );
  return new Map(rows.map((row) => [row.variantId, describe(row)]));
}

function describe({ variantId, tracked, backOrders, available }: Stocked): Availability {
  if (!tracked) return { variantId, status: 'in_stock', quantity: null, limit: null };
  const limit = backOrders ? null : available;
  if (available === 0)
    return { variantId, status: backOrders ? 'back_orderable' : 'out_of_stock', quantity: '0', limit };
  return { variantId, status: 'in_stock', quantity: available < 10 ? '1-9' : '10+', limit };
}
