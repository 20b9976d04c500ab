/**
 * What the settings of a store demand of its carts. Sales without a cart are exempt.
 */
import { findStore } from '@carton/core';
import { isPostalCode, type TenantDatabase } from '@carton/runtime';
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

/** Whether the postal code of the address of delivery is none of its country. What is picked up needs none. */
export function hasWrongPostalCode(sale: Pick<Sale, 'country' | 'shippingAddress' | 'deliveryAddress'>): boolean {
  const { shippingAddress, deliveryAddress } = sale;
  const country = countryOf(sale, shippingAddress);
  const postalCode = shippingAddress?.postalCode?.trim();
  return deliveryAddress === undefined && country !== null && !!postalCode && !isPostalCode(country, postalCode);
}
