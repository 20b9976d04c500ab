/**
 * Log-in: what a guest has put into the cart goes into the member's.
 */
import { holdRegion } from '@carton/region';
import { publish, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { cartMerged } from './events.ts';
import { factOf, holdCart } from './service.ts';
import { findActiveCart, findCart, moveInto, type Owner, touchActiveCart, updateDetails } from './store.ts';

/**
 * Merges the active cart of a guest's session into that of a member, in the transaction of the log-in. Nothing is
 * lost: quantities of one variant with the same properties add up (to the most that a line holds), other lines move over,
 * and so do addresses, e-mail, note and locale where the member's cart has none. A member without a cart gets one with the guest's region and
 * currency. Stock and prices are not looked at: what cannot be ordered shows in the cart.
 * @returns the id of the member's cart, null when the guest has none
 */
export async function mergeCarts(
  tx: TenantDatabase,
  session: Pick<ShopperSession, 'hash'>,
  memberId: string,
): Promise<string | null> {
  if (session.hash === null) return null;
  const guest: Owner = { by: 'session', key: session.hash };
  // Regions are locked before carts, here as in every change of a cart.
  const before = await findActiveCart(tx, guest);
  if (before?.regionId) await holdRegion(tx, before.regionId);
  const from = await touchActiveCart(tx, guest);
  if (!from) return null;
  const into = await holdCart(tx, { by: 'member', key: memberId }, from);
  await moveInto(tx, from.id, into.id);
  const { email, note, locale } = from;
  await updateDetails(tx, into.id, {
    email: into.email ?? email,
    note: into.note ?? note,
    locale: into.locale ?? locale,
  });
  const merged = await findCart(tx, into.id);
  if (!merged) throw new Error(`cart ${into.id} is gone`);
  await publish(tx, cartMerged, { type: 'cart', id: merged.id }, { ...factOf(merged), mergedCartId: from.id });
  return merged.id;
}
