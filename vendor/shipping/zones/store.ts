/**
 * Queries of zones and their places.
 */
import { parsePostalPattern, postalBounds } from '@carton/region';
import { rows, type TenantDatabase } from '@carton/runtime';
import { shippingZoneInUse } from '../problems.ts';
import type { ZonePlace } from './places.ts';
import type { ShippingZone } from './schemas.ts';

/** The places of a zone, grouped by country. */
const placesOfZone = `
  select coalesce(json_agg(json_build_object('country', grouped.country, 'provinces', grouped.provinces,
                                             'postalCodes', grouped.postal_codes) order by grouped.country), '[]')
    from (select country,
                 coalesce(json_agg(province order by province) filter (where province is not null), '[]') as provinces,
                 coalesce(json_agg(postal_code order by postal_code) filter (where postal_code is not null),
                          '[]') as postal_codes
            from shipping_zone_places places
           where places.tenant_id = shipping_zones.tenant_id and places.zone_id = shipping_zones.id
           group by country) grouped`;

export const shippingZones = rows<ShippingZone>({
  table: 'shipping_zones',
  noun: 'shipping zone',
  json: ['metadata'],
  computed: { places: placesOfZone },
  inUse: () => shippingZoneInUse('Shipping options have this zone.'),
});

export async function hasZones(db: TenantDatabase): Promise<boolean> {
  return (await db.query('select id from shipping_zones where tenant_id = $1 limit 1')).length > 0;
}

/** The places of all zones in these countries. */
export function listPlaces(db: TenantDatabase, countries: readonly string[]): Promise<ZonePlace[]> {
  return db.query<ZonePlace>(
    `select zone_id, country, province, postal_code from shipping_zone_places
      where tenant_id = $1 and country = any($2::text[])`,
    [countries],
  );
}

/** Replaces the places of a zone; the zones must be locked. */
export async function replacePlaces(
  tx: TenantDatabase,
  zoneId: string,
  places: readonly Omit<ZonePlace, 'zoneId'>[],
): Promise<void> {
  await tx.remove('shipping_zone_places', { zoneId });
  await tx.insertMany(
    'shipping_zone_places',
    places.map((place) => ({ ...place, ...boundsOf(place), zoneId })),
  );
}

function boundsOf({ country, postalCode }: Pick<ZonePlace, 'country' | 'postalCode'>): {
  postalFrom: string | null;
  postalTo: string | null;
} {
  const pattern = postalCode === null ? null : parsePostalPattern(country, postalCode);
  if (!pattern) return { postalFrom: null, postalTo: null };
  const { from, to } = postalBounds(pattern);
  return { postalFrom: from, postalTo: to };
}
