/**
 * Queries of what the shipping of a sale depends on.
 */
import { countryOfSale, isWithinBounds } from '@carton/region';
import { type MoneyValue, referenceQuery, type TenantDatabase } from '@carton/runtime';
import type { ShippingRate } from '../options/schemas.ts';
import type { RatedOption } from '../options/sources.ts';
import { ratesOf } from '../options/store.ts';
import type { ZonePlace } from '../zones/places.ts';

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

/** The methods that are chosen for a cart, as JSON. @param cartId SQL for the id of the cart */
const methodsOfCart = (cartId: string) => `
  select coalesce(json_agg(json_build_object('profile', nullif(chosen.profile, ''), 'optionId', chosen.option_id,
                                             'pickupLocationId', chosen.pickup_location_id)), '[]')
    from cart_shipping_methods chosen where chosen.tenant_id = $1 and chosen.cart_id = ${cartId}`;

/** SQL value: the choice of a cart (`carts`), as JSON. */
export const storedChoice = `json_build_object('methods', (${methodsOfCart('carts.id')}))`;

export async function findChosen(db: TenantDatabase, cartId: string): Promise<readonly ChosenMethod[]> {
  const [found] = await db.query<{ methods: ChosenMethod[] }>(`select (${methodsOfCart('$2')}) as methods`, [cartId]);
  return found?.methods ?? [];
}

/** What a store offers at an address. */
interface Offers {
  /** By which the sale is shipped; null if it is not known. */
  country: string | null;
  /** Of zones, in the country, that may have the address. */
  places: ZonePlace[];
  /** Whether provinces of the country are in zones. */
  hasProvinces: boolean;
  options: StoredOption[];
  /** Codes of all profiles. */
  profiles: string[];
}

const countryText = countryOfSale('$2', '$5');

const offersText = referenceQuery(`
  select ${countryText} as country,
         (select coalesce(json_agg(json_build_object('zoneId', zone_id, 'country', places.country, 'province', province,
                                                     'postalCode', postal_code) order by zone_id), '[]')
            from shipping_zone_places places
           where places.tenant_id = $1 and places.country = ${countryText}
             and (places.province is null or places.province = any($3::text[]))
             and (places.postal_from is null
                  or exists (select from unnest($4::text[]) as written (key)
                              where ${isWithinBounds('places', 'written.key')}))) as places,
         exists (select from shipping_zone_places parts
                  where parts.tenant_id = $1 and parts.country = ${countryText} and parts.province is not null) as has_provinces,
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
         (select coalesce(json_agg(code), '[]') from shipping_profiles where tenant_id = $1) as profiles`);

/**
 * Finds what a store offers.
 * @param address the country of the sale, if it has one, and its province and postal code as they are compared
 * @param optionIds null for all options
 */
export async function findOffers(
  db: TenantDatabase,
  address: { country: string | null; provinces: readonly string[]; codes: readonly string[] },
  regionId: string | null,
  optionIds: readonly string[] | null,
): Promise<Offers> {
  const { country, provinces, codes } = address;
  // The same values for the same options, by which the result is kept.
  const ids = optionIds?.toSorted() ?? [];
  const [offers] = await db.readReference<Offers>(offersText, [
    ...[country, provinces, codes, regionId],
    ...[optionIds === null, ids],
  ]);
  return offers as Offers;
}
