/**
 * Recognises a country in the forms in which people and other systems write it: the codes of ISO 3166-1, and its names.
 */
import { iso31661, iso31661Alpha3ToAlpha2, iso31661NumericToAlpha2 } from 'iso-3166';
import { cleaned, folded } from './folding.ts';
import { ambiguousNames, otherCountryNames } from './other-country-names.ts';

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

/** The countries that a name means, in one list of names. */
type Names = Map<string, string>;

/** `EE. UU.`, `U.K.`: the dots and spaces between initials are left to the writer. */
const initials = /^(?:\p{L}{1,2}[. ]+)+\p{L}{0,2}$/u;

/** The form in which names are compared. */
function keyOf(name: string): string {
  return folded(initials.test(name) ? name.replaceAll(/[. ]/g, '') : name);
}

/** Without the names that two countries have. */
function namesOf(entries: Iterable<readonly [name: string, code: string]>): Names {
  const names: Names = new Map();
  const shared = new Set<string>();
  for (const [name, code] of entries) {
    const key = keyOf(name);
    if ((names.get(key) ?? code) !== code) shared.add(key);
    names.set(key, code);
  }
  for (const key of shared) names.delete(key);
  return names;
}

function* inLanguage(language: string) {
  const [long, short] = (['long', 'short'] as const).map(
    (style) => new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' }),
  ) as [Intl.DisplayNames, Intl.DisplayNames];
  for (const code of countryCodes) {
    const name = long.of(code);
    const shortName = short.of(code);
    if (name !== undefined) yield [name, code] as const;
    if (shortName !== undefined && shortName !== name) yield [shortName, code] as const;
    // As a keyboard without the letter writes it: OESTERREICH.
    if (language === 'de' && name !== undefined && /[äöü]/i.test(name)) yield [withoutUmlauts(name), code] as const;
  }
}

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

function withoutUmlauts(name: string): string {
  return name.toLowerCase().replaceAll(/[äöü]/g, (letter) => umlauts[letter] as string);
}

/** A name of ISO 3166-1, and without the change of its order: `Republic of Korea` of `Korea, Republic of`. */
function* standardNames() {
  for (const { name, alpha2 } of iso31661) {
    yield [name, alpha2] as const;
    const [, what, kind] = /^([^,(]+?),? \(?([^,()]+ of)\)?$/.exec(name) ?? [];
    if (kind !== undefined) yield [`${kind} ${what}`, alpha2] as const;
  }
}

let english: Names | null = null;
let others: Names | null = null;

function englishNames(): Names {
  english ??= namesOf([
    ...standardNames(),
    ...inLanguage('en'),
    ...Object.entries(otherCountryNames).flatMap(([code, names]) => names.map((name) => [name, code] as const)),
  ]);
  return english;
}

/** Made at the first name that is not English: it takes two tenths of a second. */
function namesInOtherLanguages(): Names {
  if (others === null) {
    others = namesOf(languages.slice(1).flatMap((language) => [...inLanguage(language)]));
    for (const name of ambiguousNames) others.delete(keyOf(name));
  }
  return others;
}

/** Vietnamese for Russia. In another case it is the code of Nigeria. */
const namesLikeCodes: ReadonlySet<string> = new Set(['Nga']);

/** The longest text that is taken for a country. */
export const maxCountryLength = 100;

/**
 * The code (ISO 3166-1 alpha-2) of a country by its alpha-2, alpha-3 or numeric code in any case, or by its name in one
 * of many languages: `ES` for `es`, `ESP`, `724`, `Spain` and `España`. A code wins over a name in other letters. Null for anything else, and for a name that two countries have.
 */
export function countryCodeOf(text: string): string | null {
  if (text.length > maxCountryLength) return null;
  const trimmed = cleaned(text);
  if (trimmed === '') return null;
  // Also for U.S.A.
  const code = trimmed.toUpperCase().replaceAll('.', '');
  if (countryCodes.has(code)) return code;
  const key = keyOf(trimmed);
  if (key === '' || namesLikeCodes.has(trimmed)) return null;
  const alpha2 = iso31661Alpha3ToAlpha2[code] ?? iso31661NumericToAlpha2[code] ?? userAssigned[code];
  return alpha2 ?? englishNames().get(key) ?? namesInOtherLanguages().get(key) ?? null;
}
