/**
 * The shipping of orders.
 */
import { findOrder, unknownOrder } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import type { OrderShippingMethods } from './schemas.ts';
import { listMethods } from './store.ts';

/** The options chosen for an order, by profile, at their prices before discounts. @throws not_found (404) */
export async function findOrderShipping(db: TenantDatabase, orderId: string): Promise<OrderShippingMethods> {
  const order = await findOrder(db, orderId);
  if (!order) throw unknownOrder(orderId);
  const methods = await listMethods(db, orderId);
  return { items: methods.map(({ amount, ...method }) => ({ ...method, price: money(amount, order.currency) })) };
}
