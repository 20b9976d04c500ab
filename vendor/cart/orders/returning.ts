/**
 * Returns the lines of an order that was not placed to its shopper's cart.
 */
import { findVariants } from '@carton/product';
import { holdRegion } from '@carton/region';
import { publish, type TenantDatabase } from '@carton/runtime';
import { lockOrCreateCart, payloadOf } from '../changes/service.ts';
import { moveAddresses } from '../details/store.ts';
import { cartCreated, cartUpdated } from '../events.ts';
import { cartMerges, mergeDetails } from '../guests/merging.ts';
import { replaceLines } from '../items/store.ts';
import type { Owner } from '../owner-store.ts';
import { type CartLine, findCart, markMerged } from '../store.ts';
import { lockCompletedCart } from './store.ts';

/** What an order took from a cart. */
export interface ReturnedCart {
  /** The cart that became the order. */
  cartId: string;
  /** The member whose order it is; null for a guest's, whose cart decides. */
  memberId: string | null;
  lines: readonly Pick<CartLine, 'variantId' | 'quantity' | 'properties'>[];
}

/**
 * Puts lines, addresses and choices of a completed cart into the active cart of its owner, which is created if
 * necessary: of the member whose order it is; else of the member who has logged in with the guest's session since
 * (`mergeCarts`); else of that session. Nothing is returned if that one has lines, or if they have been returned already. Lines of products that no
 * longer exist are left out; prices and stock are not checked, as reads of the cart report lines that cannot be ordered.
 */
export async function returnToCart(tx: TenantDatabase, { cartId, memberId, lines }: ReturnedCart): Promise<void> {
  // Lock order: regions before carts, as in every change of a cart.
  const before = await findCart(tx, cartId);
  if (before?.chosenRegionId) await holdRegion(tx, before.chosenRegionId);
  const completed = await lockCompletedCart(tx, cartId);
  if (!completed) return;
  const from = completed.cart;
  const owner: Owner = memberId === null ? completed.owner : { by: 'member', key: memberId };
  const into = await lockOrCreateCart(tx, owner, from);
  const active = await findCart(tx, into.id);
  if (active === null || active.lines.length > 0) return;
  const known = await findVariants(
    tx,
    lines.map(({ variantId }) => variantId),
  );
  const returned = lines.filter(({ variantId }) => known.has(variantId));
  await replaceLines(tx, into.id, returned);
  await moveAddresses(tx, cartId, into.id);
  await markMerged(tx, cartId);
  for (const move of cartMerges.of(tx)) await move(tx, { fromId: cartId, intoId: into.id });
  await mergeDetails(tx, from, into, from.currency);
  const cart = await findCart(tx, into.id);
  if (!cart) throw new Error(`cart ${into.id} does not exist`);
  await publish(tx, into.isNew ? cartCreated : cartUpdated, { type: 'cart', id: into.id }, payloadOf(cart));
}
