/**
 * The province of an address by which taxes and shipping are found.
 */
import { bareCode } from './postal-codes.ts';
import { isProvince } from './provinces.ts';

/** Countries whose postal codes of five digits begin with the number of the province, which is one of its names. */
const numberedCodes = new Set(['ES']);

/**
 * The province of an address; without one, that which the postal code names, where the codes of the country do. Null if
 * neither is known.
 */
export function placedProvince(
  country: string,
  { province, postalCode }: { province?: string | null; postalCode?: string | null },
): string | null {
  const written = province?.trim() || null;
  if (written !== null || !postalCode || !numberedCodes.has(country)) return written;
  const [, number] = /^(\d\d)\d{3}$/.exec(bareCode(country, postalCode)) ?? [];
  return number !== undefined && isProvince(country, number) ? number : null;
}
