/**
 * Countries: stored and returned as codes of ISO 3166-1 alpha-2, taken in all forms that `countryCodeOf` recognises. The
 * codes are those of the standard and the one for Kosovo (XK), because the list of JavaScript's `Intl` also contains
 * withdrawn codes (SU, YU) and groups of countries (EU, UN).
 */
import { defineInputForms } from '../http/input-forms.ts';
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';
import { countryCodeOf, countryCodes, maxCountryLength } from './names.ts';

const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** True for a country code of ISO 3166-1 alpha-2, and for XK. */
export function isCountry(code: string): boolean {
  return countryCodes.has(code);
}

/** What a text must be to be taken for a country. */
export const countryMeaning = 'a country: its code of ISO 3166-1, or its name';

const format = defineFormat('country', 'a country of ISO 3166-1 alpha-2', isCountry);
defineInputForms(format, {
  name: 'country-or-name',
  meaning: countryMeaning,
  parse: countryCodeOf,
  maxLength: maxCountryLength,
  description: 'ISO 3166-1 alpha-2. The alpha-3 code and the name are accepted, too',
});

/** The schema of a country code. In bodies and queries of requests it takes other forms, which handlers get as the code. */
export const Country = Type.String({ pattern: '^[A-Z]{2}$', format, examples: ['DE'] });

/** The English name of a country: `Germany` for `DE`. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}
