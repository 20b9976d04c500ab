/**
 * A sale: lines, addresses and choices, wherever they are kept. A cart is one; so are a draft order, the edit of an order,
 * an exchange and a renewal. Whatever is priced is priced as a sale.
 */

import type { StockSale } from '@carton/inventory';
import { isCountry } from '@carton/runtime';
import type { LineProperties } from './properties.ts';

interface AnyLine {
  /** Stable within the sale; adjustments name the line by it. */
  readonly id: string;
  readonly quantity: number;
  readonly properties: LineProperties;
}

export interface VariantLine extends AnyLine {
  readonly variantId: string;
  /**
   * Minor units of one piece, where that was agreed: it stands in for today's price, and the line counts whether or not
   * the variant is still for sale.
   */
  readonly unitPrice?: number;
}

/** Something that is no variant: a repair, a service. Staff put it into a draft order; a cart never has one. */
export interface CustomLine extends AnyLine {
  readonly variantId: null;
  readonly title: string;
  /** Minor units of one piece. */
  readonly unitPrice: number;
  /** As the package that keeps tax categories calls it; null for the usual one. */
  readonly taxCategory: string | null;
  /** Grams of one piece. */
  readonly weight: number | null;
}

export type SaleLine = VariantLine | CustomLine;

/** As much of an address as prices depend on. */
export interface SaleAddress {
  /** ISO 3166-1 alpha-2; null when the address does not say, or names none that there is. */
  readonly country: string | null;
  readonly province: string | null;
  readonly postalCode: string | null;
}

export interface Sale {
  /** The cart whose choices (an option, a code) the steps of the totals read from their own tables; null for none. */
  readonly cartId: string | null;
  /** By the names of steps: the choices of a sale that has no cart, or that stand in for the cart's. */
  readonly choices: Readonly<Record<string, unknown>>;
  /** ISO 4217 */
  readonly currency: string;
  readonly regionId: string | null;
  readonly memberId: string | null;
  readonly channelId: string | null;
  /** BCP 47 */
  readonly locale: string | null;
  readonly email: string | null;
  readonly shippingAddress: SaleAddress | null;
  readonly billingAddress: SaleAddress | null;
  /** As of when it is priced. */
  readonly time: Date;
  readonly lines: readonly SaleLine[];
}

/** What the choice of the locations that serve a sale turns on. */
export function stockSaleOf({ channelId, shippingAddress }: Pick<Sale, 'channelId' | 'shippingAddress'>): StockSale {
  return { channelId, country: shippingAddress?.country ?? null };
}

/**
 * What prices depend on in an address as a shopper gives it: an object of texts, of which those of a cart's address are
 * understood, or free text, of which nothing is.
 */
export function saleAddressOf(address: string | Readonly<Record<string, string | null>>): SaleAddress {
  if (typeof address === 'string') return { country: null, province: null, postalCode: null };
  const text = (name: string) => address[name]?.trim() || null;
  const country = text('country')?.toUpperCase() ?? null;
  return {
    country: country !== null && isCountry(country) ? country : null,
    province: text('province'),
    postalCode: text('postalCode'),
  };
}
