/**
 * Prices a cart: converts it to a sale, and adds the issues that only a cart has.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { StoredCart } from '../store.ts';
import type { Sale, VariantLine } from './sale.ts';
import { type KnownReads, type PricedSale, priceSale } from './service.ts';
import type { CartIssue } from './totals.ts';

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
  Partial<
    Pick<
      StoredCart,
      'country' | 'taxNumber' | 'chosenRegionId' | 'seenCurrency' | 'choices' | 'isReserved' | 'referenceVersion'
    >
  >;

/** Values that replace those of the cart; null means no value. */
export type SaleOverrides = Partial<
  Pick<Sale, 'shippingAddress' | 'billingAddress' | 'hasTextAddress' | 'email' | 'taxNumber' | 'time' | 'choices'>
>;

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
  const { memberId, regionId, currency, locale, email, taxNumber, lines } = cart;
  const copied = { memberId, regionId, currency, locale, email, taxNumber, lines, shippingAddress, billingAddress };
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

type CartSale = ReturnType<typeof saleOfCart>;

export interface PricedCart<C extends PriceableCart = PriceableCart> extends PricedSale<CartSale> {
  cart: C;
}

export interface PriceOptions extends SaleOverrides {
  /** False skips the stock check, for callers that take the stock in the same transaction and fail there. */
  stock?: boolean;
  /** What the transaction has read for steps before. */
  known?: KnownReads | undefined;
}

/**
 * Prices a cart. Succeeds for every cart: a line that cannot be ordered has issues and, without a price, is left out of
 * the totals.
 * @param options replace the cart's own values, so that prices fit the actual delivery address; null means no value. A
 *   place of pickup remains
 */
export async function priceCart<C extends PriceableCart>(
  db: TenantDatabase,
  cart: C,
  { stock, known, ...overrides }: PriceOptions = {},
): Promise<PricedCart<C>> {
  const { isReserved, referenceVersion } = cart;
  const priced = await priceSale(db, saleOfCart(cart, overrides), { stock, isReserved, referenceVersion, known });
  return { cart, ...priced, issues: issuesOfCart(cart, priced) };
}

/** The issues of a cart besides those of its sale. */
function issuesOfCart(
  { chosenRegionId, seenCurrency, lines }: PriceableCart,
  { sale, issues }: PricedSale,
): CartIssue[] {
  // An address without a country contradicts a region that was chosen, not one that follows from the store.
  const isUnplaced = chosenRegionId === null && !sale.shippingAddress?.country;
  const isCurrencyNew = seenCurrency !== undefined && seenCurrency !== sale.currency && lines.length > 0;
  const own = isUnplaced ? issues.filter((issue) => issue !== 'country_not_served') : issues;
  return isCurrencyNew ? [...own, 'currency_changed'] : own;
}
