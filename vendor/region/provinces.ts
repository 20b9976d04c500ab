/**
 * Provinces: the subdivisions of ISO 3166-2.
 */
import { iso31662 } from 'iso-3166';
import type { Province } from './schemas.ts';

const collator = new Intl.Collator('en');
let provincesByCountry: ReadonlyMap<string, readonly Province[]> | null = null;

/** The provinces of a country by name; empty for a country without any. */
export function provincesOf(country: string): readonly Province[] {
  provincesByCountry ??= groupByCountry();
  return provincesByCountry.get(country) ?? [];
}

function groupByCountry(): Map<string, readonly Province[]> {
  const provinces = iso31662.map(({ code, name, parent }) => ({
    code,
    name,
    // The parent of a top-level province is the country.
    parent: parent.includes('-') ? parent : null,
  }));
  const sorted = provinces.sort((one, other) => collator.compare(one.name, other.name));
  return Map.groupBy(sorted, ({ code }) => code.slice(0, 2));
}
