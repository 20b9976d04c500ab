/**
 * Reads what the shipping of a sale depends on.
 */
import { countryOf, type Sale } from '@carton/cart';
import { countryOfSale, isWithinBounds } from '@carton/region';
import { type MoneyValue, placedProvince, referenceQuery, type TenantDatabase } from '@carton/runtime';
import type { ShippingRate } from '../options/schemas.ts';
import { type RatedOption, rateSourcesOf, type ShippingRateSource } from '../options/sources.ts';
import { comparedWith, isProvinceMissing, isProvinceUnknown, type ZonePlace, zoneOf } from '../zones/places.ts';
import { ratesOf } from '../zones/store.ts';
import { findPickupLocations, type PickupLocation } from './pickup.ts';

/** What is chosen for the goods of a profile. */
export interface ChosenMethod {
  /** Code of the profile; null for the default profile. */
  readonly profile: string | null;
  readonly optionId: string;
  readonly pickupLocationId: string | null;
}

export interface StoredOption extends RatedOption {
  readonly name: string;
  readonly zoneId: string | null;
  readonly zoneName: string | null;
  readonly profile: string | null;
  readonly freeFrom: readonly MoneyValue[];
  readonly rates: readonly ShippingRate[];
}

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

interface Row {
  country: string | null;
  places: ZonePlace[];
  hasProvinces: boolean;
  options: StoredOption[];
  profiles: string[];
}

const country = countryOfSale('$2', '$5');

/** The methods that are chosen for a cart, as JSON. @param cartId SQL for the id of the cart */
export const methodsOfCart = (cartId: string) => `
  select coalesce(json_agg(json_build_object('profile', nullif(chosen.profile, ''), 'optionId', chosen.option_id,
                                             'pickupLocationId', chosen.pickup_location_id)), '[]')
    from cart_shipping_methods chosen where chosen.tenant_id = $1 and chosen.cart_id = ${cartId}`;

const text = referenceQuery(`
  select ${country} as country,
         (select coalesce(json_agg(json_build_object('zoneId', zone_id, 'country', places.country, 'province', province,
                                                     'postalCode', postal_code) order by zone_id), '[]')
            from shipping_zone_places places
           where places.tenant_id = $1 and places.country = ${country}
             and (places.province is null or places.province = any($3::text[]))
             and (places.postal_from is null
                  or exists (select from unnest($4::text[]) as written (key)
                              where ${isWithinBounds('places', 'written.key')}))) as places,
         exists (select from shipping_zone_places parts
                  where parts.tenant_id = $1 and parts.country = ${country} and parts.province is not null) as has_provinces,
         (select coalesce(json_agg(json_build_object(
                   'id', options.id, 'code', options.code, 'name', options.name, 'zoneId', options.zone_id,
                   'zoneName', (select zones.name from shipping_zones zones
                                 where zones.tenant_id = $1 and zones.id = options.zone_id),
                   'profile', options.profile, 'type', options.type,
                   'carrierService', options.carrier_service, 'freeFrom', options.free_from,
                   'rates', (${ratesOf('options')})) order by options.created_at, options.id), '[]')
            from shipping_options options
           where options.tenant_id = $1
             and ($6 or options.id = any($7::uuid[]))) as options,
         (select coalesce(json_agg(code), '[]') from shipping_profiles where tenant_id = $1) as profiles
    from tenants where id = $1`);

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
  const chosen = choice ?? (await findMethods(db, sale.cartId));
  // All options are the same for every choice.
  const ids = all ? [] : chosen.map(({ optionId }) => optionId).sort();
  const [[row], locations, ...reads] = await Promise.all([
    db.readReference<Row>(text, [known, provinces, codes, sale.regionId, all, ids]),
    findPickupLocations(db),
    ...contributed.map((source) => source.reads?.(db, sale)),
  ]);
  const { places, hasProvinces, options, profiles, country: found } = row as Row;
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

async function findMethods(db: TenantDatabase, cartId: string | null): Promise<readonly ChosenMethod[]> {
  if (cartId === null) return [];
  const [found] = await db.query<{ methods: ChosenMethod[] }>(`select (${methodsOfCart('$2')}) as methods`, [cartId]);
  return found?.methods ?? [];
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
