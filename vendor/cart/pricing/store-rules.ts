/**
 * What the settings of a store demand of its carts. Sales without a cart are exempt.
 */
import { findStore } from '@carton/core';
import {
  countryName,
  isPostalCode,
  otherCountryOfCode,
  otherProvinceOfCode,
  type TenantDatabase,
} from '@carton/runtime';
import { countryOf, type Sale } from './sale.ts';
import { cartSettings } from './settings.ts';

export interface StoreRules {
  /** The least total of goods in minor units of the sale's currency; null for none. */
  minimumOrder: number | null;
  checkPostalCodes: boolean;
}

/** Reads the rules for a sale, in one statement. */
export async function findStoreRules(
  db: TenantDatabase,
  { cartId, currency }: Pick<Sale, 'cartId' | 'currency'>,
): Promise<StoreRules> {
  if (cartId === null) return { minimumOrder: null, checkPostalCodes: false };
  const { minimumOrder, checkPostalCodes } = cartSettings.of(await findStore(db), db);
  const amounts = minimumOrder.flatMap((minimum) => (minimum.currency === currency ? minimum.amount : []));
  return { minimumOrder: amounts.length === 0 ? null : Math.max(...amounts), checkPostalCodes };
}

/**
 * What is wrong with the postal code of the address of delivery: it is none of the country, or of another province than the
 * address. Null if nothing is known to be. What is picked up needs no code.
 */
export function explainPostalCode(sale: Pick<Sale, 'country' | 'shippingAddress' | 'deliveryAddress'>): string | null {
  const { shippingAddress, deliveryAddress } = sale;
  const country = countryOf(sale, shippingAddress);
  const postalCode = shippingAddress?.postalCode?.trim();
  if (deliveryAddress !== undefined || country === null || !postalCode) return null;
  if (!isPostalCode(country, postalCode)) {
    return `${postalCode} is no postal code of ${countryName(country)}. Correct it.`;
  }
  const other = otherCountryOfCode(country, postalCode);
  if (other !== null) {
    const where = countryName(other);
    return `${postalCode} is a postal code of ${where}, not of ${countryName(country)}. Choose ${where}, or correct it.`;
  }
  const province = shippingAddress?.province;
  const name = province ? otherProvinceOfCode(country, postalCode, province) : null;
  if (name === null) return null;
  return `${postalCode} is a postal code of ${name}, and the province of the address is ${province}. Correct one of them.`;
}
