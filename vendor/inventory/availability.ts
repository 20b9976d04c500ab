/**
 * What can be had now: in numbers for other packages, without exact numbers for shoppers.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { buckets } from './schemas.ts';
import { defaultLocation } from './store.ts';

export interface Availability {
  variantId: string;
  status: 'in_stock' | 'back_orderable' | 'out_of_stock';
  /** About how many there are, as shoppers may know it; null when they are not counted. */
  quantity: (typeof buckets)[number] | null;
  /** The most that can be had now; null when there is no limit: not tracked, or back-orders are allowed. */
  limit: number | null;
}

interface Level {
  variantId: string;
  tracked: boolean;
  backOrders: boolean;
  available: number;
}

/** Availability by variant id, in one statement; a variant that is not known is left out. */
export async function availabilityOf(
  db: TenantDatabase,
  variantIds: readonly string[],
): Promise<Map<string, Availability>> {
  if (variantIds.length === 0) return new Map();
  const levels = await db.query<Level>(
    `select items.id as variant_id, items.tracked, items.back_order_policy = 'allow' as back_orders,
            levels.on_hand - levels.reserved as available
       from stock_items items
       join stock_levels levels
         on levels.tenant_id = $1 and levels.stock_item_id = items.id and levels.location_id = '${defaultLocation}'
      where items.tenant_id = $1 and items.id = any($2::uuid[])`,
    [variantIds],
  );
  return new Map(levels.map((level) => [level.variantId, describe(level)]));
}

function describe({ variantId, tracked, backOrders, available }: Level): Availability {
  if (!tracked) return { variantId, status: 'in_stock', quantity: null, limit: null };
  const limit = backOrders ? null : Math.max(available, 0);
  if (available <= 0)
    return { variantId, status: backOrders ? 'back_orderable' : 'out_of_stock', quantity: '0', limit };
  return { variantId, status: 'in_stock', quantity: available < 10 ? '1-9' : '10+', limit };
}
