/**
 * Rules of zones: no two are equally specific for an address.
 */
import { checkedPattern } from '@carton/region';
import {
  countryName,
  invalidField,
  knownProvinceKey,
  lockFor,
  provinceKey,
  type TenantDatabase,
} from '@carton/runtime';
import { shippingZoneOverlap } from '../problems.ts';
import { ambiguousPlace, type ZonePlace } from './places.ts';
import type { ChangeShippingZone, CreateShippingZone, NewZonePlaces, ShippingZone } from './schemas.ts';
import { listPlaces, replacePlaces, shippingZones } from './store.ts';

/** @throws invalid_request (400), shipping_zone_overlap (409), external_id_taken (409) */
export function createZone(db: TenantDatabase, { places, ...fields }: CreateShippingZone): Promise<ShippingZone> {
  return db.transaction(async (tx) => {
    const { id } = await shippingZones.insert(tx, fields);
    await setPlaces(tx, id, places);
    return shippingZones.require(tx, id);
  });
}

/** @throws not_found (404), invalid_request (400), shipping_zone_overlap (409), external_id_taken (409) */
export function changeZone(
  db: TenantDatabase,
  id: string,
  { places, ...fields }: ChangeShippingZone,
): Promise<ShippingZone> {
  return db.transaction(async (tx) => {
    await shippingZones.change(tx, id, fields);
    if (places) await setPlaces(tx, id, places as NewZonePlaces);
    return shippingZones.require(tx, id);
  });
}

/** A place with the pointer to it in the body. */
interface RequestedPlace extends ZonePlace {
  pointer: string;
}

async function setPlaces(tx: TenantDatabase, zoneId: string, requested: NewZonePlaces): Promise<void> {
  // Serializes writers, so that the places of concurrent zones are seen.
  await lockFor(tx, 'shipping.zones');
  const stored = await listPlaces(tx, [...new Set(requested.map(({ country }) => country))]);
  const places = placesOf(zoneId, requested, stored);
  for (const place of places) {
    const other = ambiguousPlace(place, stored);
    if (other) throw await overlap(tx, place, other);
  }
  await replacePlaces(
    tx,
    zoneId,
    places.map(({ country, province, postalCode }) => ({ country, province, postalCode })),
  );
}

async function overlap(tx: TenantDatabase, { pointer }: RequestedPlace, other: ZonePlace) {
  const { name } = await shippingZones.require(tx, other.zoneId);
  const part = other.postalCode ?? other.province;
  const where = `${part === null ? '' : `${part} in `}${countryName(other.country)}`;
  const detail = `The zone ${name} (${other.zoneId}) has ${where}, and neither is more specific.`;
  return shippingZoneOverlap(detail, { errors: [{ in: 'body', pointer, detail: `overlaps with ${name}` }] });
}

/**
 * The places in their stored form, each once. Provinces that the zone has already are not checked again.
 * @throws invalid_request (400)
 */
function placesOf(zoneId: string, requested: NewZonePlaces, stored: readonly ZonePlace[]): RequestedPlace[] {
  const own = stored.filter((place) => place.zoneId === zoneId);
  const places = new Map<string, RequestedPlace>();
  const countries = new Set<string>();
  for (const [position, { country, provinces = [], postalCodes = [] }] of requested.entries()) {
    const path = `/places/${position}`;
    if (countries.has(country)) throw invalidField(`${path}/country`, 'is a duplicate');
    countries.add(country);
    const add = (pointer: string, province: string | null, postalCode: string | null) =>
      places.set(`${country} ${province} ${postalCode}`, { zoneId, country, province, postalCode, pointer });
    if (provinces.length + postalCodes.length === 0) add(path, null, null);
    for (const [at, province] of provinces.entries()) {
      const pointer = `${path}/provinces/${at}`;
      const isStored = own.some((place) => place.country === country && place.province === province);
      add(pointer, isStored ? provinceKey(country, province) : knownProvinceKey(country, province, pointer), null);
    }
    for (const [at, text] of postalCodes.entries()) {
      const pointer = `${path}/postalCodes/${at}`;
      add(pointer, null, checkedPattern(country, text, pointer));
    }
  }
  return [...places.values()];
}
