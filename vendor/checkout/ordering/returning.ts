/**
 * Returns the lines of a cart whose order was canceled while it was pending, so that the shopper can check out again.
 */
import { type LineProperties, type ReturnableCarts, returnToCart } from '@carton/cart';
import { findOrder, findUnplaced, orderCanceled } from '@carton/order';
import { subscriber } from '@carton/runtime';

/**
 * Each delivery has a transaction of its own, since it locks carts: after that of the cancellation, because a checkout
 * locks its cart before the stock, and a cancellation holds the stock.
 */
export const returnCarts = subscriber({
  name: 'checkout.return-carts',
  events: [orderCanceled],
  outsideTransaction: true,
  async handle(db, { resource }) {
    const order = await findOrder(db, resource.id);
    if (order === null || order.wasPlaced || order.cartId === null) return;
    const { cartId, memberId, sessionHash, items } = order;
    // Its person was erased.
    if (memberId === null && sessionHash === null) return;
    // They are a cart's.
    const lines = items.flatMap(({ variantId, quantity, properties }) =>
      variantId === null ? [] : [{ variantId, quantity, properties: properties as LineProperties }],
    );
    await db.transaction((tx) => returnToCart(tx, { cartId, memberId, lines }));
  },
});

/** Until its order is placed, a cart may be given back. */
export const cartsOfUnplacedOrders: ReturnableCarts = async (tx, carts) => {
  const unplaced = new Set(
    await findUnplaced(
      tx,
      carts.map(({ orderId }) => orderId),
    ),
  );
  return carts.filter(({ orderId }) => unplaced.has(orderId)).map(({ id }) => id);
};
