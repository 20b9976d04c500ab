/**
 * Reads an order for its shopper, and for those who know its id.
 */
import { findOrder, isPlacedBy, maskOrder, type Order } from '@carton/order';
import { findOrderPayment, lookUpAwaited, type OrderPayment } from '@carton/payment';
import { notFound, type ShopperSession, type TenantDatabase } from '@carton/runtime';

/** An order with its payment, as its routes show it. */
export type OrderWithPayment = Order & { payment: OrderPayment | null };

/**
 * Reads an order as `readPlacedOrder`; one that waits for its payment is looked up at the provider for the shopper who
 * placed it. @throws not_found (404)
 */
export async function readAwaitedOrder(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
): Promise<OrderWithPayment> {
  const order = await readPlacedOrder(db, session, id);
  const isAwaited = order.status === 'pending' && order.payment?.status === 'pending' && isPlacedBy(order, session);
  return isAwaited && (await lookUpAwaited(db, id)) ? readPlacedOrder(db, session, id) : order;
}

/** Reads an order with its payment, masked unless the caller placed it. @throws not_found (404) */
export async function readPlacedOrder(
  db: TenantDatabase,
  session: ShopperSession,
  id: string,
): Promise<OrderWithPayment> {
  const [order, payment] = await db.pipelined((one) => Promise.all([findOrder(one, id), findOrderPayment(one, id)]));
  if (!order) throw notFound(`There is no order with the id ${id}.`);
  if (isPlacedBy(order, session)) return { ...order, payment };
  // Who has the secret of the next action can pay with it, and see what is paid.
  return { ...maskOrder(order), payment: payment && { ...payment, nextAction: null } };
}
