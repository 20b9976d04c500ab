/**
 * A sale: the input of pricing, independent of where lines, addresses and choices are stored. Carts, draft orders, order
 * edits, exchanges and renewals are all priced as sales.
 */
import type { StockSale } from '@carton/inventory';
import { countryCodeOf, pauseForOthers } from '@carton/runtime';

/** Data of a line besides its variant: an engraving, a plan. */
export type LineProperties = Readonly<Record<string, string | number | boolean>>;

interface AnyLine {
  /** Stable within the sale; adjustments refer to the line by it. */
  readonly id: string;
  readonly quantity: number;
  readonly properties: LineProperties;
}

export interface VariantLine extends AnyLine {
  readonly variantId: string;
  /** The title of the product when the line was added; absent or null if it is not known. */
  readonly addedTitle?: string | null;
  /**
   * An agreed price: minor units per unit. It replaces the current price, and the line counts whether or not the variant
   * is still for sale.
   */
  readonly unitPrice?: number;
}

/** A line without a variant: a repair, a service. Staff add these to draft orders; a cart never has one. */
export interface CustomLine extends AnyLine {
  readonly variantId: null;
  readonly title: string;
  /** Minor units per unit. */
  readonly unitPrice: number;
  /** As named by the package that stores tax categories; null for the default category. */
  readonly taxCategory: string | null;
  /** Grams per unit. */
  readonly weight: number | null;
}

export type SaleLine = VariantLine | CustomLine;

/** The parts of an address that prices depend on. */
export interface SaleAddress {
  /** ISO 3166-1 alpha-2; null if the address has none or an unknown one. */
  readonly country: string | null;
  readonly province: string | null;
  readonly postalCode: string | null;
  /** City and street, for taxes that depend on the exact place. Absent if unknown. */
  readonly city?: string | null;
  readonly line1?: string | null;
}

export interface Sale {
  /** The cart whose choices (an option, a code) the totals steps store in their own tables; null without a cart. */
  readonly cartId: string | null;
  /** These choices by step name, if they were read with the cart; otherwise the steps read them. */
  readonly storedChoices?: Readonly<Record<string, unknown>> | undefined;
  /** Choices by step name, for a sale without a cart or in place of the cart's choices. */
  readonly choices: Readonly<Record<string, unknown>>;
  /** ISO 4217 */
  readonly currency: string;
  readonly regionId: string | null;
  readonly memberId: string | null;
  readonly channelId: string | null;
  /** BCP 47 */
  readonly locale: string | null;
  readonly email: string | null;
  /** The buyer's number for value added tax, in its stored form; null or absent for none. */
  readonly taxNumber?: string | null;
  /** Where the goods are handed over, which decides taxes and regions: a place of pickup, or where they are delivered. */
  readonly shippingAddress: SaleAddress | null;
  /** Where they would be delivered otherwise, if they are picked up; omitted if `shippingAddress` is that address. */
  readonly deliveryAddress?: SaleAddress | null;
  readonly billingAddress: SaleAddress | null;
  /**
   * True for an order whose address is free text. `shippingAddress` prices it all the same, but nobody has read where the
   * order goes, so nothing is saved by it.
   */
  readonly hasTextAddress?: boolean;
  /** Where the goods go as far as taxes and shipping are concerned while no address has a country; omitted if unknown. */
  readonly country?: string | null;
  /** The time whose prices apply. */
  readonly time: Date;
  readonly lines: readonly SaleLine[];
}

/** The properties of a sale that decide which stock locations serve it. */
export function stockSaleOf(sale: Pick<Sale, 'channelId' | 'shippingAddress' | 'country'>): StockSale {
  return { channelId: sale.channelId, country: countryOf(sale, sale.shippingAddress) };
}

/**
 * The country of an address of a sale: its own, else that of the sale. Null if neither is known: what is left then is decided
 * where taxes and shipping options are read (`countryOfSale` of `@carton/region`).
 */
export function countryOf({ country = null }: Pick<Sale, 'country'>, address: SaleAddress | null): string | null {
  return address?.country ?? country;
}

/** Extracts what prices depend on from an address sent by a shopper: the fields that a cart's address has. */
export function saleAddressOf(address: Readonly<Record<string, string | null>>): SaleAddress {
  const text = (name: string) => address[name]?.trim() || null;
  const country = text('country');
  return {
    country: country === null ? null : countryCodeOf(country),
    province: text('province'),
    postalCode: text('postalCode'),
    city: text('city'),
    line1: text('line1'),
  };
}

/** Of more lines, the parts of the work are done one by one. Lines are counted: the same sale always has the same parts. */
const fewLines = 100;

/** The pause for others between parts of the work on a sale; null for one with few lines, which has none. */
export function pauseOf({ lines }: Pick<Sale, 'lines'>): typeof pauseForOthers | null {
  return lines.length > fewLines ? pauseForOthers : null;
}
