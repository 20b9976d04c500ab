/**
 * Merges a guest's cart into the member's at log-in.
 */
import { holdRegion } from '@carton/region';
import { extensionPoint, publish, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { lockOrCreateCart, payloadOf } from '../changes/service.ts';
import { chooseCountry, moveAddresses } from '../details/store.ts';
import { cartMerged } from '../events.ts';
import { moveLines } from '../items/store.ts';
import type { Owner } from '../owner-store.ts';
import { type CartHeader, findActiveCart, findCart, markMerged, touchActiveCart, updateDetails } from '../store.ts';
import { findCompletedCarts, handOverCarts } from './store.ts';

/**
 * Moves what a package has stored for a cart to another, in one transaction: a guest's to the member's at log-in, or that
 * of an order that was not placed to the shopper's new cart. Both carts are locked; lines and addresses have been moved.
 */
export type CartMerge = (tx: TenantDatabase, carts: { fromId: string; intoId: string }) => Promise<unknown>;
export const cartMerges = extensionPoint<CartMerge>('cart.merges');

/** Which of these completed carts may still be given back (`returnToCart`). */
export type ReturnableCarts = (
  tx: TenantDatabase,
  carts: readonly { id: string; orderId: string }[],
) => Promise<readonly string[]>;
export const returnableCarts = extensionPoint<ReturnableCarts>('cart.returnable');

/**
 * Merges the active cart of a guest's session into the member's, in the transaction of the log-in. Nothing is lost:
 * quantities of a variant with the same properties add up (to the maximum of a line), other lines move over, and so do
 * addresses, e-mail, note, locale and the choice of a region that the member's cart lacks. If the guest had items, their
 * currency is the one that the shopper has seen: another one is an issue of the merged cart. Stock and prices are not
 * checked: reads of the cart report lines that cannot be ordered. What the session has ordered and may get back is given back
 * to this member from now on, and to nobody who uses the device later.
 * @returns the id of the member's cart; null if the guest has none
 */
export async function mergeCarts(
  tx: TenantDatabase,
  session: Pick<ShopperSession, 'hash'>,
  memberId: string,
): Promise<string | null> {
  if (session.hash === null) return null;
  const guest: Owner = { by: 'session', key: session.hash };
  // Lock order: regions before carts, as in every change of a cart.
  const before = await findActiveCart(tx, guest);
  if (before?.chosenRegionId) await holdRegion(tx, before.chosenRegionId);
  // In the lock order of `returnToCart`: a cart that is being given back is then merged below.
  await handOverReturnable(tx, session.hash, memberId);
  const from = await touchActiveCart(tx, guest);
  if (!from) {
    // It may have become an order just now.
    if (before) await handOverReturnable(tx, session.hash, memberId);
    return null;
  }
  const into = await lockOrCreateCart(tx, { by: 'member', key: memberId }, from);
  await moveLines(tx, from.id, into.id);
  await moveAddresses(tx, from.id, into.id);
  await markMerged(tx, from.id);
  for (const move of cartMerges.of(tx)) await move(tx, { fromId: from.id, intoId: into.id });
  await mergeDetails(tx, from, into, before && before.lines.length > 0 ? before.seenCurrency : undefined);
  const merged = await findCart(tx, into.id);
  if (!merged) throw new Error(`cart ${into.id} does not exist`);
  await publish(tx, cartMerged, { type: 'cart', id: merged.id }, { ...payloadOf(merged), mergedCartId: from.id });
  return merged.id;
}

async function handOverReturnable(tx: TenantDatabase, sessionHash: string, memberId: string): Promise<void> {
  const completed = await findCompletedCarts(tx, sessionHash);
  if (completed.length === 0) return;
  const ids: string[] = [];
  for (const returnableOf of returnableCarts.of(tx)) ids.push(...(await returnableOf(tx, completed)));
  if (ids.length > 0) await handOverCarts(tx, ids, memberId);
}

/**
 * Gives a locked cart the details of another that it lacks: e-mail, note, tax number, locale and the choice of a
 * region.
 * @param currency that the shopper has seen, of items that were moved
 */
export async function mergeDetails(
  tx: TenantDatabase,
  from: CartHeader,
  into: CartHeader,
  currency: string | undefined,
): Promise<void> {
  const { regionId, country } = into.regionId === null && into.country === null ? from : into;
  await updateDetails(tx, into.id, {
    regionId,
    ...(currency !== undefined && { currency }),
    email: into.email ?? from.email,
    note: into.note ?? from.note,
    locale: into.locale ?? from.locale,
    taxNumber: into.taxNumber ?? from.taxNumber,
  });
  if (country !== into.country) await chooseCountry(tx, into.id, country);
}

/** Merges the guest's cart into the member's at log-in. */
export async function mergeCartAtLogIn(
  tx: TenantDatabase,
  { memberId, sessionHash }: { memberId: string; sessionHash: string | null },
): Promise<void> {
  await mergeCarts(tx, { hash: sessionHash }, memberId);
}
