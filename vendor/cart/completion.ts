/**
 * What a checkout needs of the cart, inside its one transaction: the cart locked as it is, and its end.
 */
import type { ShopperSession, TenantDatabase } from '@carton/runtime';
import { listLines, lockFoundCart, markCompleted, ownerOf, type StoredCart } from './store.ts';

/** The active cart, locked; or, for a request that waited while another completed it, the order it became. */
export type LockedCart =
  | ({ readonly state: 'active' } & StoredCart)
  | { readonly state: 'completed'; readonly cartId: string; readonly orderId: string };

/**
 * Locks the active cart of a session (or of its member) until the transaction ends, in one statement; its lines come
 * in the order of the variants' ids. Only the cart's row is locked: all writers of a cart go through it.
 *
 * Null when no cart was active as the statement began: a request that comes after the completion finds none, and the
 * cart it would order from is empty. One that found the cart and waited for it while it was completed is told the
 * order it became. If the cart was changed while it waited, a second statement reads the lines again, since the first
 * has those of before.
 * @throws Error outside a transaction
 */
export async function lockActiveCart(
  tx: TenantDatabase,
  session: Pick<ShopperSession, 'memberId' | 'hash'>,
): Promise<LockedCart | null> {
  if (!tx.inTransaction) throw new Error('a cart is locked in a transaction');
  const owner = ownerOf(session);
  const found = owner && (await lockFoundCart(tx, owner));
  if (!found) return null;
  const { cart, waited } = found;
  if (cart.orderId !== null) return { state: 'completed', cartId: cart.id, orderId: cart.orderId };
  // Merged into a member's cart meanwhile: this session has no cart any more.
  if (cart.status !== 'active') return null;
  return { state: 'active', ...cart, lines: waited ? await listLines(tx, cart.id) : cart.lines };
}

/**
 * Ends a cart that became an order: it keeps the order's id and loses its lines; the owner's next cart is a new one.
 * One statement. Writes no event: the order's tells of it.
 * @throws Error when the cart is not active; lock it first
 */
export async function completeCart(tx: TenantDatabase, cartId: string, orderId: string): Promise<void> {
  if (!(await markCompleted(tx, cartId, orderId))) throw new Error(`cart ${cartId} is not active`);
}
