/**
 * Converts a cart to a sale.
 */
import type { Sale, VariantLine } from './sale.ts';
import type { StoredCart } from './store.ts';

/** The fields of a cart that pricing needs. */
export type PriceableCart = Pick<
  StoredCart,
  'id' | 'memberId' | 'regionId' | 'currency' | 'locale' | 'email' | 'shippingAddress' | 'billingAddress' | 'lines'
>;

/** The sale of a cart, at the current time. */
export function saleOfCart({ id, shippingAddress, billingAddress, ...cart }: PriceableCart): Sale & {
  readonly lines: readonly VariantLine[];
} {
  const { memberId, regionId, currency, locale, email, lines } = cart;
  const copied = { memberId, regionId, currency, locale, email, lines, shippingAddress, billingAddress };
  return { ...copied, cartId: id, choices: {}, channelId: null, time: new Date() };
}
