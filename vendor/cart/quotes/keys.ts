/**
 * What quotes of services are found by: digests of what is asked, without personal data.
 */
import { hash } from 'node:crypto';
import { provinceKey } from '@carton/runtime';
import type { Sale, SaleAddress } from '../pricing/sale.ts';

/** An address as services are asked about it: trimmed, the province as it is compared. Null for an unknown part. */
export interface QuotedAddress {
  /** ISO 3166-1 alpha-2 */
  country: string;
  province: string | null;
  postalCode: string | null;
  city: string | null;
  line1: string | null;
}

/** Null if the country is unknown. */
export function quotedAddressOf(address: Partial<SaleAddress> | null | undefined): QuotedAddress | null {
  if (!address?.country) return null;
  const { country, province, postalCode, city, line1 } = address;
  const part = (text: string | null | undefined) => text?.trim() || null;
  return {
    country,
    province: province ? provinceKey(country, province) : null,
    postalCode: part(postalCode),
    city: part(city),
    line1: part(line1),
  };
}

/** A digest of exactly what a service is asked. The order of the properties counts. */
export function digestOf(question: unknown): string {
  return hash('sha256', JSON.stringify(question), 'base64url');
}

/** Finds the quotes of a sale before it is priced: a digest of what is known of it by then. */
export function saleKeyOf({ currency, regionId, shippingAddress, deliveryAddress, lines }: Sale): string {
  const addresses = [quotedAddressOf(shippingAddress), quotedAddressOf(deliveryAddress)];
  const goods = lines.map((line) => JSON.stringify([line.variantId, line.quantity, line.unitPrice ?? null]));
  return digestOf([currency, regionId, addresses, goods.toSorted()]);
}
