/**
 * Addresses and other details as orders store them, from shoppers and staff alike.
 */
import { countryCodeOf, printedCode, writtenLine, writtenPhone, writtenText } from '@carton/runtime';
import type { OrderAddress } from '../schemas.ts';

/**
 * An address as it is stored: its fields as `writtenLine` returns them, blank ones null, the phone number without what was copied
 * with it, the country as its code, and the postal code as the country writes it. A country that is not recognised stays as it
 * was written.
 * @returns null if the address says nothing
 */
export function writtenAddress(address: OrderAddress | null | undefined): OrderAddress | null {
  if (typeof address !== 'object' || address === null) return writtenText(address);
  const fields = Object.fromEntries(Object.entries(address).map(([name, text]) => [name, writtenLine(text)]));
  if (fields.phone) fields.phone = writtenPhone(fields.phone);
  if (Object.values(fields).every((text) => text === null)) return null;
  const { country: written, postalCode } = fields;
  if (!written) return fields;
  const country = countryCodeOf(written);
  if (country === null) return fields;
  return { ...fields, country, ...(postalCode && { postalCode: printedCode(country, postalCode) }) };
}
