/**
 * Provinces as they are stored and compared.
 */
import { provincesOf } from './provinces.ts';

const keysByCountry = new Map<string, ReadonlyMap<string, string>>();

/**
 * The form in which provinces are stored and compared: in Canada, `qc`, `CA-QC` and `Québec` are `QC`. Names are those of
 * ISO 3166-2, with or without accents; anything else is compared as it is written.
 * @param country ISO 3166-1 alpha-2; undefined if unknown
 */
export function provinceKey(country: string | undefined, province: string): string {
  const key = province.normalize('NFC').trim().toUpperCase();
  if (country === undefined) return key;
  const prefix = `${country}-`;
  if (key.startsWith(prefix) && key.length > prefix.length) return key.slice(prefix.length);
  return keysOf(country).get(foldedName(province)) ?? key;
}

/** Keys by name. A name that several provinces of the country have is no name of any; nor is one that is another's code. */
function keysOf(country: string): ReadonlyMap<string, string> {
  let keys = keysByCountry.get(country);
  if (keys === undefined) {
    const provinces = provincesOf(country).map(({ code, name }) => ({
      name: foldedName(name),
      key: code.slice(country.length + 1),
    }));
    const codes = new Set(provinces.map(({ key }) => key));
    const named = Map.groupBy(provinces, ({ name }) => name);
    keys = new Map(
      [...named].flatMap(([name, [first, ...others]]) =>
        first === undefined || others.length > 0 || codes.has(name) ? [] : [[name, first.key]],
      ),
    );
    keysByCountry.set(country, keys);
  }
  return keys;
}

/** Without accents, case and surrounding spaces. */
function foldedName(name: string): string {
  return name.normalize('NFD').replaceAll(/\p{M}/gu, '').trim().toUpperCase();
}
