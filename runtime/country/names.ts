/**
 * Recognises a country in the forms in which people and other systems write it: the codes of ISO 3166-1, and its names.
 */
import { iso31661, iso31661Alpha3ToAlpha2 } from 'iso-3166';
import { cleaned, folded } from './folding.ts';

/** Codes that everybody uses for countries to which ISO 3166-1 has given none: Kosovo. */
const userAssigned: Readonly<Record<string, string>> = { XKX: 'XK' };

/** The countries by their alpha-2 codes: those of ISO 3166-1, and Kosovo. */
export const countryCodes: ReadonlySet<string> = new Set([
  ...iso31661.map(({ alpha2 }) => alpha2),
  ...Object.values(userAssigned),
]);

/** Languages in which names are recognised: those of most countries, English first, since its names win. */
const languages = `
  en de fr es it pt nl da sv nb nn fi is et lv lt pl cs sk hu sl hr bs sr sr-Latn mk sq el bg ro uk ru be tr az ka hy he
  ar fa ur hi bn pa gu ta te kn ml mr ne si th lo km my vi id ms fil sw af zu am ja ko zh zh-Hant kk uz mn ca eu gl ga cy
`
  .trim()
  .split(/\s+/);

/** Names in common use that neither the standard nor the lists of languages have. */
const otherNames: Readonly<Record<string, string>> = {
  Burma: 'MM',
  'Czech Republic': 'CZ',
  'East Timor': 'TL',
  // In numbers of VAT.
  EL: 'GR',
  England: 'GB',
  'Great Britain': 'GB',
  Holland: 'NL',
  'Ivory Coast': 'CI',
  Macedonia: 'MK',
  'Northern Ireland': 'GB',
  Scotland: 'GB',
  Turkey: 'TR',
  'United States of America': 'US',
  Wales: 'GB',
};

/** The countries that a name means, in one list of names. */
type Names = Map<string, string>;

/** Without the names that two countries have. */
function namesOf(entries: Iterable<readonly [name: string, code: string]>): Names {
  const names: Names = new Map();
  const shared = new Set<string>();
  for (const [name, code] of entries) {
    const key = folded(name);
    if ((names.get(key) ?? code) !== code) shared.add(key);
    names.set(key, code);
  }
  for (const key of shared) names.delete(key);
  return names;
}

function* inLanguage(language: string, styles: readonly ('long' | 'short')[]) {
  for (const style of styles) {
    const display = new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' });
    for (const code of countryCodes) {
      const name = display.of(code);
      if (name !== undefined) yield [name, code] as const;
    }
  }
}

let english: Names | null = null;
let others: Names | null = null;

function englishNames(): Names {
  english ??= namesOf([
    ...iso31661.map(({ name, alpha2 }) => [name, alpha2] as const),
    ...inLanguage('en', ['long', 'short']),
    ...Object.entries(otherNames),
  ]);
  return english;
}

/** Made at the first name that is not English: it takes a tenth of a second. */
function namesInOtherLanguages(): Names {
  others ??= namesOf(languages.slice(1).flatMap((language) => [...inLanguage(language, ['long'])]));
  return others;
}

/** The longest text that is taken for a country. */
export const maxCountryLength = 100;

/**
 * The code (ISO 3166-1 alpha-2) of a country by its alpha-2 or alpha-3 code in any case, or by its name in one of many
 * languages: `ES` for `es`, `ESP`, `Spain` and `España`. Null for anything else, and for a name that two countries have.
 */
export function countryCodeOf(text: string): string | null {
  if (text.length > maxCountryLength) return null;
  const trimmed = cleaned(text);
  if (trimmed === '') return null;
  // Also for U.S.A.
  const code = trimmed.toUpperCase().replaceAll('.', '');
  if (countryCodes.has(code)) return code;
  const key = folded(trimmed);
  if (key === '') return null;
  const alpha2 = iso31661Alpha3ToAlpha2[code] ?? userAssigned[code];
  return alpha2 ?? englishNames().get(key) ?? namesInOtherLanguages().get(key) ?? null;
}
