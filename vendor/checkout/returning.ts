/**
 * Returns the lines of a cart whose order was canceled while it was pending, so that the shopper can check out again.
 */
import { type LineProperties, ownerOf, returnToCart } from '@carton/cart';
import { findOrder, orderCanceled } from '@carton/order';
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
    const owner = ownerOf({ memberId, hash: sessionHash });
    if (!owner) return;
    // They are a cart's.
    const lines = items.flatMap(({ variantId, quantity, properties }) =>
      variantId === null ? [] : [{ variantId, quantity, properties: properties as LineProperties }],
    );
    await db.transaction((tx) => returnToCart(tx, { cartId, owner, lines }));
  },
});
