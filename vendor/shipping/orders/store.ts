/**
 * Queries of the options that are chosen for orders.
 */
import { json, type TenantDatabase } from '@carton/runtime';
import type { CartShipping } from '../sales/schemas.ts';
import type { OrderShippingMethods } from './schemas.ts';

interface MethodRow extends Omit<OrderShippingMethods['items'][number], 'price'> {
  /** Minor units of the order's currency, before discounts. */
  amount: number;
}

/** The default profile first. */
export function listMethods(db: TenantDatabase, orderId: string): Promise<MethodRow[]> {
  return db.query<MethodRow>(
    `select nullif(profile, '') as profile, option_id, code, name, type, amount, pickup_location
       from order_shipping_methods where tenant_id = $1 and order_id = $2 order by 1 nulls first`,
    [orderId],
  );
}

export async function insertMethods(
  tx: TenantDatabase,
  orderId: string,
  chosen: readonly CartShipping[],
): Promise<void> {
  await tx.insertMany(
    'order_shipping_methods',
    chosen.map(({ profile, optionId, code, name, type, price, pickupLocation }) => ({
      ...{ orderId, profile: profile ?? '', optionId, code, name, type, amount: price?.amount },
      pickupLocation: pickupLocation && json(pickupLocation),
    })),
  );
}
