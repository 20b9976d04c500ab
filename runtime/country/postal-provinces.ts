/**
 * The provinces in which postal codes are, in countries whose codes begin with what says it: from
 * `data/postal-provinces.json`, the data of Google's libaddressinput.
 */
import postalProvinces from './data/postal-provinces.json' with { type: 'json' };
import { bareCode } from './postal-codes.ts';
import { provinceLine, provinceName, provincesMeant } from './provinces.ts';

const patterns = new Map<string, readonly (readonly [province: string, pattern: RegExp])[]>();

function patternsOf(country: string) {
  const known = patterns.get(country);
  if (known !== undefined) return known;
  const data = (postalProvinces as Record<string, Record<string, string>>)[country] ?? {};
  const made = Object.entries(data).map(([key, beginnings]) => [key, new RegExp(`^(?:${beginnings})`)] as const);
  patterns.set(country, made);
  return made;
}

/**
 * The name of the province of a postal code if it is not that of the address: Madrid for `28001` in Barcelona. Null if they agree, as they
 * do where one contains the other, and where either is not known.
 * @param country ISO 3166-1 alpha-2
 */
export function otherProvinceOfCode(country: string, postalCode: string, province: string): string | null {
  const known = patternsOf(country);
  if (known.length === 0) return null;
  const code = bareCode(country, postalCode);
  const places = known.flatMap(([key, pattern]) => (pattern.test(code) ? [key] : []));
  const meant = provincesMeant(country, province);
  const [first] = places;
  if (first === undefined || meant.length === 0) return null;
  const agree = places.some((place) =>
    meant.some((each) => provinceLine(country, place).includes(each) || provinceLine(country, each).includes(place)),
  );
  return agree ? null : (provinceName(country, first, 'latin') ?? first);
}
