/**
 * The lines of an order's address, as pages show them.
 */
import { displayNames } from '@carton/runtime';
import type { OrderAddress } from './schemas.ts';

/** The fields of an address in the order of an envelope; fields with other names follow. */
const addressFields = ['name', 'company', 'line1', 'line2'];

/** The lines of an address on a page, with the name of its country in a language; none without an address. */
export function addressLines(address: OrderAddress | null, locale: string): string[] {
  if (address === null) return [];
  if (typeof address === 'string') return address.split('\n');
  const { postalCode, city, province, country, phone: _, ...others } = address;
  const known = addressFields.map((field) => others[field]);
  const rest = Object.entries(others).flatMap(([field, value]) => (addressFields.includes(field) ? [] : value));
  const town = [postalCode, city, province].filter(Boolean).join(' ');
  return [...known, ...rest, town, country ? countryIn(country, locale) : null].filter((line) => line) as string[];
}

/** The name of a country in a language; free text stays as it is. */
function countryIn(country: string, locale: string): string {
  const isCode = /^[A-Z]{2}$/.test(country);
  return (isCode && displayNames(locale, { type: 'region' }).of(country)) || country;
}
