/**
 * Reading a cart, priced. Changes are in `changes/`.
 */
import type { ShopperSession, TenantDatabase } from '@carton/runtime';
import { rememberCart } from './changes/known-carts.ts';
import { ownerOf } from './owner-store.ts';
import { type PricedCart, type PriceOptions, priceCart } from './pricing/cart.ts';
import { pauseOf } from './pricing/sale.ts';
import type { Asker } from './quotes/asker.ts';
import { withQuotes } from './quotes/service.ts';
import type { Cart } from './schemas.ts';
import { findActiveCart, type StoredCart } from './store.ts';
import { presentCart } from './view.ts';

/**
 * Reads and prices a shopper's active cart, without locks; null if there is none.
 * @param options an address among them takes the place of the cart's also in choosing the region
 */
export async function findPricedCart(
  db: TenantDatabase,
  session: Pick<ShopperSession, 'memberId' | 'hash'>,
  options?: PriceOptions,
): Promise<PricedCart<StoredCart> | null> {
  const owner = ownerOf(session);
  if (!owner) return null;
  return db.pipelined(async (one) => {
    const cart = await findActiveCart(one, owner, options?.shippingAddress?.country);
    if (!cart) return null;
    rememberCart(db, owner, cart);
    return priceCart(one, cart, options);
  });
}

/**
 * Presents a cart that was just read or changed, with the quotes of the services that its prices depend on.
 * @param asker whose questions are counted; null where they have been
 */
export async function presentQuoted(
  db: TenantDatabase,
  priced: PricedCart<StoredCart>,
  asker: Asker | null,
): Promise<Cart> {
  const quoted = await withQuotes(db, priced, () => priceCart(db, priced.cart), { asker });
  const cart = presentCart(quoted);
  // The response is serialized next.
  const pause = pauseOf(quoted.sale);
  if (pause) await pause();
  return cart;
}
