/**
 * Locations where shoppers can pick up their goods.
 */
import type { SaleAddress } from '@carton/cart';
import { findStore } from '@carton/core';
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { PickupAddress } from '../schemas.ts';
import { shippingSettings } from '../settings.ts';

export interface PickupLocation {
  /** Unique among all locations of a store: an id of the package that contributes it. */
  id: string;
  /** Shown to shoppers. */
  name: string;
  address: PickupAddress;
}

/** Returns locations for pickup. Takes one statement, which shares a round trip with the reads of a cart's totals. */
export type PickupLocationSource = (db: TenantDatabase) => Promise<readonly PickupLocation[]>;
export const pickupLocations = extensionPoint<PickupLocationSource>('shipping.pickup-locations');

/** Id of the location in the settings of the store. */
const storeLocationId = 'store';

/** The store's own location, if its settings have one, then those of other packages. */
export async function findPickupLocations(db: TenantDatabase): Promise<PickupLocation[]> {
  const [store, ...others] = await Promise.all([findStore(db), ...pickupLocations.of(db).map((source) => source(db))]);
  const { pickupAddress } = shippingSettings.of(store);
  if (pickupAddress === null) return others.flat();
  const { name, line2 = null, province = null, postalCode = null, ...address } = pickupAddress;
  return [{ id: storeLocationId, name, address: { ...address, line2, province, postalCode } }, ...others.flat()];
}

/** The parts of a location's address that prices depend on. */
export function destinationOf({ address: { country, province, postalCode } }: PickupLocation): SaleAddress {
  return { country, province, postalCode };
}
