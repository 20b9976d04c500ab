/**
 * A cart as the sale it is.
 */
import type { Sale, VariantLine } from './sale.ts';
import type { StoredCart } from './store.ts';

/** What a sale takes of a cart. */
export type PriceableCart = Pick<
  StoredCart,
  'id' | 'memberId' | 'regionId' | 'currency' | 'locale' | 'email' | 'shippingAddress' | 'billingAddress' | 'lines'
>;

/** A cart as the sale it is, now. */
export function saleOfCart({ id, shippingAddress, billingAddress, ...cart }: PriceableCart): Sale & {
  readonly lines: readonly VariantLine[];
} {
  const { memberId, regionId, currency, locale, email, lines } = cart;
  const kept = { memberId, regionId, currency, locale, email, lines, shippingAddress, billingAddress };
  return { ...kept, cartId: id, choices: {}, channelId: null, time: new Date() };
}
