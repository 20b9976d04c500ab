/**
 * Availability over all locations that serve a sale: exact quantities for other packages, buckets for shoppers.
 */
import type { TenantDatabase } from '@carton/runtime';
import { type StockSale, withServingLocations } from '../locations.ts';
import type { StockReference } from '../movements/lines.ts';
import type { availabilities, buckets } from './schemas.ts';
import { type AvailableRow, findAvailable } from './store.ts';

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

/** Availability by variant id, in one statement; unknown variants are omitted. */
export async function availabilityOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { reserved, sale = {} }: AvailabilityOptions = {},
): Promise<Map<string, Availability>> {
  if (variantIds.length === 0) return new Map();
  const rows = await withServingLocations(db, sale, (serving) => findAvailable(db, variantIds, serving, reserved));
  return new Map(rows.map((row) => [row.variantId, describe(row)]));
}

function describe({ variantId, tracked, backOrders, available }: AvailableRow): Availability {
  if (!tracked) return { variantId, status: 'in_stock', quantity: null, limit: null };
  const limit = backOrders ? null : available;
  if (available === 0)
    return { variantId, status: backOrders ? 'back_orderable' : 'out_of_stock', quantity: '0', limit };
  return { variantId, status: 'in_stock', quantity: available < 10 ? '1-9' : '10+', limit };
}
