/**
 * Locking and completing a cart, for the transaction of a checkout.
 */
import type { ShopperSession, TenantDatabase } from '@carton/runtime';
import { ownerOf } from '../owner-store.ts';
import { lockSnapshotCart, type StoredCart } from '../store.ts';
import { markCompleted } from './store.ts';

/** The active cart, locked; or, for a request that waited while another completed the cart, the order it became. */
export type LockedCart =
  | ({ readonly state: 'active' } & StoredCart)
  | { readonly state: 'completed'; readonly cartId: string; readonly orderId: string };

/**
 * Locks the active cart of a session (or of its member) until the transaction ends, in one statement. Only the cart's row
 * is locked, since every writer of a cart locks it first.
 *
 * Returns null if no cart was active when the statement began: a request that starts after the completion has no cart to
 * order. A request that waited while the cart was completed gets the order it became. If the cart changed while the
 * request waited, a second statement reads it again.
 * @param country of an address that takes the place of the cart's, if any, also in choosing the region
 * @throws Error outside a transaction
 */
export async function lockActiveCart(
  tx: TenantDatabase,
  session: Pick<ShopperSession, 'memberId' | 'hash'>,
  country: string | null = null,
): Promise<LockedCart | null> {
  if (!tx.inTransaction) throw new Error('lockActiveCart must run in a transaction');
  const owner = ownerOf(session);
  const cart = owner && (await lockSnapshotCart(tx, owner, country));
  if (!cart) return null;
  if (cart.orderId !== null) return { state: 'completed', cartId: cart.id, orderId: cart.orderId };
  // Merged into a member's cart in the meantime: this session no longer has a cart.
  if (cart.status !== 'active') return null;
  return { state: 'active', ...cart };
}

/**
 * Completes a cart that became an order, in one statement: stores the order's id and deletes the lines; the owner's next
 * write creates a new cart. Publishes no event: the order's event covers it.
 * @throws Error if the cart is not active; lock it first
 */
export async function completeCart(tx: TenantDatabase, cartId: string, orderId: string): Promise<void> {
  if (!(await markCompleted(tx, cartId, orderId))) throw new Error(`cart ${cartId} is not active`);
}
