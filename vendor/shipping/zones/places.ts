/**
 * Which zone an address is in: the most specific wins.
 */
import {
  areAmbiguous,
  breadthOf,
  matchesPostal,
  type PostalPattern,
  parsePostalPattern,
  postalKeys,
  postalLookups,
} from '@carton/region';
import {
  isProvince,
  isUndecided,
  levelOf,
  needsProvince,
  provinceKey,
  provinceLine,
  storedProvinces,
} from '@carton/runtime';

/** A part of a zone: a country, one of its provinces, or some of its postal codes. */
export interface ZonePlace {
  readonly zoneId: string;
  /** ISO 3166-1 alpha-2 */
  readonly country: string;
  /** As `provinceKey` returns it, or as an earlier release has stored it. */
  readonly province: string | null;
  /** As `postalPatternText` returns it. */
  readonly postalCode: string | null;
}

export interface ZoneAddress {
  readonly country: string;
  readonly province: string | null;
  readonly postalCode: string | null;
}

/** What the places of zones are compared with: nothing of an address whose country is unknown counts. */
export function comparedWith({
  country,
  province,
  postalCode,
}: { country: string | null } & Omit<ZoneAddress, 'country'>) {
  if (country === null) return { provinces: [], codes: [] };
  return {
    provinces: province === null ? [] : storedProvinces(country, province),
    codes: postalCode === null ? [] : postalLookups(country, postalCode),
  };
}

/** How a place has an address; of two, the one that is more specific has the larger rank, or else the smaller breadth. */
interface Match {
  readonly place: ZonePlace;
  readonly rank: number;
  readonly breadth: number;
}

function matchOf(place: ZonePlace, { country, province, postalCode }: ZoneAddress): Match | null {
  if (place.country !== country) return null;
  const pattern = patternOf(place);
  if (pattern) {
    const keys = postalCode === null ? [] : postalKeys(country, postalCode);
    const key = keys.find((each) => matchesPostal(pattern, each));
    return key === undefined ? null : { place, rank: 2, breadth: breadthOf(pattern, key.length) };
  }
  if (place.province === null) return { place, rank: 0, breadth: 0 };
  const level = province === null ? -1 : levelOf(country, provinceLine(country, province), place.province);
  return level < 0 ? null : { place, rank: 1, breadth: level };
}

function placeOf(places: readonly ZonePlace[], address: ZoneAddress): ZonePlace | null {
  let best: Match | null = null;
  for (const place of places) {
    const found = matchOf(place, address);
    if (!found) continue;
    if (!best || found.rank > best.rank || (found.rank === best.rank && found.breadth < best.breadth)) best = found;
  }
  return best?.place ?? null;
}

/**
 * The zone of an address: one with a pattern of its postal code before one with its province, and that before one with
 * its country. Of patterns, the one that fewer codes match; of provinces, the smaller one.
 * @returns the id of the zone; null if no zone has the address
 */
export function zoneOf(places: readonly ZonePlace[], address: ZoneAddress): string | null {
  return placeOf(places, address)?.zoneId ?? null;
}

/**
 * Whether an address lacks the province that addresses of its country have, and its postal code does not decide its zone.
 * @param places that may have the address
 */
export function isProvinceMissing(places: readonly ZonePlace[], address: ZoneAddress): boolean {
  if (address.province !== null || !needsProvince(address.country)) return false;
  return (placeOf(places, address)?.postalCode ?? null) === null;
}

/**
 * Whether the zone of an address may be another one than that of its province: that is no known one and none of a zone, or
 * only provinces in it are in zones.
 * @param places that may have the address
 */
export function isProvinceUnknown(places: readonly ZonePlace[], address: ZoneAddress): boolean {
  const { country, province } = address;
  if (province === null) return false;
  const found = placeOf(places, address);
  if (found !== null && (found.province !== null || found.postalCode !== null)) return false;
  return (
    !isProvince(country, province) ||
    places.some((place) => {
      return place.country === country && place.province !== null && isUndecided(country, province, place.province);
    })
  );
}

/** Returns a place of another zone that makes some addresses ambiguous: neither zone is more specific for them. */
export function ambiguousPlace(place: ZonePlace, others: readonly ZonePlace[]): ZonePlace | null {
  const pattern = patternOf(place);
  const isAmbiguous = (other: ZonePlace) => {
    if (other.zoneId === place.zoneId || other.country !== place.country) return false;
    const otherPattern = patternOf(other);
    if (pattern && otherPattern) return areAmbiguous(pattern, otherPattern);
    return pattern === null && otherPattern === null && keyOf(other) === keyOf(place);
  };
  return others.find(isAmbiguous) ?? null;
}

/** Earlier releases have stored names that they did not recognise. */
function keyOf({ country, province }: ZonePlace): string | null {
  return province === null ? null : provinceKey(country, province);
}

function patternOf({ country, postalCode }: ZonePlace): PostalPattern | null {
  return postalCode === null ? null : parsePostalPattern(country, postalCode);
}
