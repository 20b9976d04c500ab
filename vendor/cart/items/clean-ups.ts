/**
 * What other packages store and hold for carts that are deleted or emptied.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

/** What a package stores for carts, when old carts are deleted or carts emptied. The carts are locked. */
export interface CartCleanUp {
  /** Which of these carts must stay for now. */
  keep?(tx: TenantDatabase, ids: readonly string[]): Promise<readonly string[]>;
  /** Deletes the package's rows of these carts; unnecessary for rows that reference the cart `on delete cascade`. */
  remove?(tx: TenantDatabase, ids: readonly string[]): Promise<unknown>;
  /** Releases what is held for a cart from which its shopper has removed all items. */
  emptied?(tx: TenantDatabase, id: string): Promise<unknown>;
}
export const cartCleanUps = extensionPoint<CartCleanUp>('cart.clean-ups');

/** Releases what other packages hold for a locked cart that has become empty. */
export async function releaseHeld(tx: TenantDatabase, cartId: string): Promise<void> {
  for (const { emptied } of cartCleanUps.of(tx)) await emptied?.(tx, cartId);
}
