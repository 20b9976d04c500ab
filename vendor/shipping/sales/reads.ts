/**
 * Reads what the shipping of a sale depends on.
 */
import { countryOf, type Sale } from '@carton/cart';
import { placedProvince, type TenantDatabase } from '@carton/runtime';
import { rateSourcesOf, type ShippingRateSource } from '../options/sources.ts';
import { comparedWith, isProvinceMissing, isProvinceUnknown, zoneOf } from '../zones/places.ts';
import { findPickupLocations, type PickupLocation } from './pickup.ts';
import { type ChosenMethod, findChosen, findOffers, type StoredOption } from './store.ts';

export interface ShippingRead {
  readonly chosen: readonly ChosenMethod[];
  /** Those chosen, or all of the store. */
  readonly options: readonly StoredOption[];
  /** Codes of all profiles. */
  readonly profiles: readonly string[];
  /** The zone of the address; null if no zone has it. */
  readonly zoneId: string | null;
  /** Zones depend on the province of the address, which is not known. */
  readonly isProvinceUnknown: boolean;
  /** Zones depend on the province of the address, which has none. */
  readonly isProvinceMissing: boolean;
  /** Whether the country of the address is known. */
  readonly hasCountry: boolean;
  readonly locations: readonly PickupLocation[];
  /** The source of each type, with what it has read. */
  readonly sources: ReadonlyMap<string, { source: ShippingRateSource; read: unknown }>;
}

/**
 * Reads the shipping of a sale, in one round trip.
 * @param choice replaces what is chosen for the cart, which is read first if it is undefined
 * @param all reads all options, not only those chosen
 */
export async function readShipping(
  db: TenantDatabase,
  sale: Sale,
  choice: readonly ChosenMethod[] | undefined,
  all = false,
): Promise<ShippingRead> {
  const address = addressOf(sale);
  const { country: known } = address;
  const { provinces, codes } = comparedWith(address);
  const contributed = rateSourcesOf(db);
  const chosen = choice ?? (sale.cartId === null ? [] : await findChosen(db, sale.cartId));
  const ids = all ? null : chosen.map(({ optionId }) => optionId);
  const [offers, locations, ...reads] = await Promise.all([
    findOffers(db, { country: known, provinces, codes }, sale.regionId, ids),
    findPickupLocations(db),
    ...contributed.map((source) => source.reads?.(db, sale)),
  ]);
  const { places, hasProvinces, options, profiles, country: found } = offers;
  // Of an address without a country of its own, nothing else counts.
  const { province, postalCode } = known === null ? { province: null, postalCode: null } : address;
  const at = found === null ? null : { country: found, province, postalCode };
  const zoneId = at && zoneOf(places, at);
  const compared = hasProvinces ? at : null;
  const sources = new Map(contributed.map((source, at) => [source.type, { source, read: reads[at] }]));
  return {
    chosen,
    options,
    profiles,
    zoneId,
    isProvinceUnknown: compared !== null && isProvinceUnknown(places, compared),
    isProvinceMissing: compared !== null && known !== null && address.isGiven && isProvinceMissing(places, compared),
    hasCountry: found !== null,
    locations,
    sources,
  };
}

/** The address to deliver to: also if the goods are picked up now, since the shopper may choose delivery instead. */
function addressOf(sale: Sale) {
  const { shippingAddress, deliveryAddress = shippingAddress } = sale;
  const { postalCode = null } = deliveryAddress ?? {};
  const country = countryOf(sale, deliveryAddress);
  return {
    country,
    province: country === null ? null : placedProvince(country, deliveryAddress ?? {}),
    postalCode,
    isGiven: deliveryAddress !== null,
  };
}
