/**
 * The lines of an order's address, as mails, pages and lists show them.
 */
import { countryCodeOf, displayNames, postalLines } from '@carton/runtime';
import type { OrderAddress } from '../schemas.ts';

/**
 * The lines of an address as its country writes them, with the name of the country in a language; none without an address.
 * Fields of other names follow the street. Free text stays as it is, and so does the order of an address whose country is
 * not known.
 */
export function addressLines(address: OrderAddress | null, locale: string): string[] {
  if (address === null) return [];
  if (typeof address === 'string') return address.split('\n');
  const { name, company, line1, line2, postalCode, city, province, country, phone: _, ...others } = address;
  const lines = [line1, line2, ...Object.values(others)].flatMap((line) => line || []);
  const code = country ? countryCodeOf(country) : null;
  if (code === null) {
    const town = [postalCode, city, province].filter(Boolean).join(' ');
    return [name, company, ...lines, town, country].flatMap((line) => line || []);
  }
  const written = postalLines(code, { name, company, lines, city, province, postalCode });
  return [...written, displayNames(locale, { type: 'region' }).of(code) ?? code];
}
