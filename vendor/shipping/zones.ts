/**
 * Which zone an address is in: the most specific wins.
 */
import { provinceKey } from '@carton/region';
import {
  areAmbiguous,
  breadthOf,
  matchesPostal,
  type PostalPattern,
  parsePostalPattern,
  postalKey,
} from './postal-codes.ts';

/** A part of a zone: a country, one of its provinces, or some of its postal codes. */
export interface ZonePlace {
  readonly zoneId: string;
  /** ISO 3166-1 alpha-2 */
  readonly country: string;
  /** As `provinceKey` returns it. */
  readonly province: string | null;
  /** As `postalPatternText` returns it. */
  readonly postalCode: string | null;
}

export interface ZoneAddress {
  readonly country: string;
  readonly province: string | null;
  readonly postalCode: string | null;
}

/** Province and postal code as zones compare them; those of an unknown country do not count. */
export function provinceOf(country: string | null, province: string | null, postalCode: string | null) {
  if (country === null) return { key: null, code: null };
  return {
    key: province === null ? null : provinceKey(country, province),
    code: postalCode === null ? null : postalKey(country, postalCode),
  };
}

/**
 * The zone of an address: one with a pattern of its postal code before one with its province, and that before one with
 * its country. Of patterns, the one that fewer codes match.
 * @returns the id of the zone; null if no zone has the address
 */
export function zoneOf(places: readonly ZonePlace[], { country, province, postalCode }: ZoneAddress): string | null {
  const key = postalCode === null ? null : postalKey(country, postalCode);
  const ofProvince = province === null ? null : provinceKey(country, province);
  let best: { zoneId: string; rank: number; breadth: number } | null = null;
  for (const place of places) {
    if (place.country !== country) continue;
    const pattern = patternOf(place);
    if (pattern && (key === null || !matchesPostal(pattern, key))) continue;
    if (place.province !== null && place.province !== ofProvince) continue;
    const breadth = pattern && key !== null ? breadthOf(pattern, key.length) : 0;
    const found = { zoneId: place.zoneId, rank: rankOf(place), breadth };
    if (!best || found.rank > best.rank || (found.rank === best.rank && found.breadth < best.breadth)) best = found;
  }
  return best?.zoneId ?? null;
}

/** Returns a place of another zone that makes some addresses ambiguous: neither zone is more specific for them. */
export function ambiguousPlace(place: ZonePlace, others: readonly ZonePlace[]): ZonePlace | null {
  const pattern = patternOf(place);
  const isAmbiguous = (other: ZonePlace) => {
    if (other.zoneId === place.zoneId || other.country !== place.country) return false;
    const otherPattern = patternOf(other);
    if (pattern && otherPattern) return areAmbiguous(pattern, otherPattern);
    return pattern === null && otherPattern === null && other.province === place.province;
  };
  return others.find(isAmbiguous) ?? null;
}

function rankOf({ province, postalCode }: ZonePlace): number {
  if (postalCode !== null) return 2;
  return province === null ? 0 : 1;
}

function patternOf({ postalCode }: ZonePlace): PostalPattern | null {
  return postalCode === null ? null : parsePostalPattern(postalCode);
}
