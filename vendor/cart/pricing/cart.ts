/**
 * Converts a cart to a sale.
 */

import type { StoredCart } from '../store.ts';
import type { Sale, VariantLine } from './sale.ts';

/** The fields of a cart that pricing needs. */
export type PriceableCart = Pick<
  StoredCart,
  | 'id'
  | 'memberId'
  | 'regionId'
  | 'currency'
  | 'locale'
  | 'email'
  | 'shippingAddress'
  | 'billingAddress'
  | 'pickupAddress'
  | 'lines'
> &
  Partial<Pick<StoredCart, 'country' | 'chosenRegionId' | 'seenCurrency' | 'choices' | 'referenceVersion'>>;

/** Values that replace those of the cart; null means no value. */
export type SaleOverrides = Partial<Pick<Sale, 'shippingAddress' | 'billingAddress' | 'email' | 'time' | 'choices'>>;

/**
 * The sale of a cart, at the current time. A place of pickup is its shipping address, whatever other addresses the cart
 * or the overrides have.
 */
export function saleOfCart(
  { id, shippingAddress, billingAddress, pickupAddress, country, choices: storedChoices, ...cart }: PriceableCart,
  overrides: SaleOverrides = {},
): Sale & {
  readonly lines: readonly VariantLine[];
} {
  const { memberId, regionId, currency, locale, email, lines } = cart;
  const copied = { memberId, regionId, currency, locale, email, lines, shippingAddress, billingAddress };
  const defined = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const replaced = { ...copied, time: new Date(), choices: {}, ...Object.fromEntries(defined) };
  // An address without a country says nothing about it.
  const sale = {
    ...replaced,
    country: shippingAddress?.country ?? country,
    cartId: id,
    channelId: null,
    storedChoices,
  };
  if (pickupAddress === null) return sale;
  return { ...sale, shippingAddress: pickupAddress, deliveryAddress: sale.shippingAddress };
}
