/**
 * The buyer of an invoice and where the goods go, as the document stores them: in lines as they are printed, and in parts
 * for electronic invoices. A company is the buyer, and the person in its address is whom to ask for.
 */
import { addressLines, type Order } from '@carton/order';
import { countryCodeOf } from '@carton/runtime';
import type { AddressParts, InvoiceContent } from '../content.ts';

/** What staff may state of the buyer. */
export interface StatedBuyer {
  name?: string | null;
  address?: string | null;
  vatNumber?: string | null;
}

type StoredAddress = Order['customer']['address'];

/** The fields of an address; none of free text. */
function fieldsOf(address: StoredAddress): Record<string, string | null> | null {
  return address === null || typeof address === 'string' ? null : address;
}

/** The country of an address; of free text, that in its last line. */
export function countryIn(address: StoredAddress): string | null {
  const country = typeof address === 'string' ? address.split('\n').at(-1) : address?.country;
  return country ? countryCodeOf(country) : null;
}

/** An address in parts; null for free text. */
function partsOf(address: StoredAddress): AddressParts | null {
  const fields = fieldsOf(address);
  if (fields === null) return null;
  const {
    name: _,
    company: __,
    phone: ___,
    country: ____,
    city,
    postalCode,
    province,
    line1,
    line2,
    ...others
  } = fields;
  const lines = [line1, line2, ...Object.values(others)].flatMap((line) => line || []);
  return { lines, city: city || null, postalCode: postalCode || null, province: province || null };
}

/** The buyer and the delivery of an order's invoice. */
export function buyerAndDeliveryOf(
  { customer }: Pick<Order, 'customer'>,
  stated: StatedBuyer,
  locale: string,
): Pick<InvoiceContent, 'buyer' | 'delivery' | 'deliveryParts'> & {
  countries: { buyer: string | null; delivery: string | null };
} {
  const { email, address, billing, taxNumber } = customer;
  const billed = billing ?? address;
  const fields = fieldsOf(billed);
  const name = stated.name ?? (fields?.name || null) ?? customer.name;
  const statedLines = stated.address ? stated.address.split('\n') : null;
  const written = fields?.company || null;
  const company = statedLines === null || (written !== null && statedLines.includes(written)) ? written : null;
  // An invoice names one buyer: a name that replaces the customer's does so in the address too.
  const billedAs = fields?.name ? { ...fields, name: name === company ? null : name } : billed;
  const lines = statedLines ?? addressLines(billedAs, locale);
  const shippingLines = addressLines(address, locale);
  const vatNumber = stated.vatNumber ?? taxNumber;
  return {
    buyer: {
      name,
      company,
      email,
      address: lines,
      parts: statedLines === null ? partsOf(billed) : null,
      vatNumber,
      taxNumber: vatNumber,
    },
    delivery: shippingLines.join('\n') === lines.join('\n') ? [] : shippingLines,
    deliveryParts: partsOf(address),
    countries: {
      // Staff correct an address without its country.
      buyer: countryIn(stated.address ?? null) ?? countryIn(billed),
      delivery: countryIn(address),
    },
  };
}
