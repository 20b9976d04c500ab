/**
 * Provinces of what is stored for places: one that is written wrongly would serve only those who write it so.
 */
import { invalidField } from '../http/problems.ts';
import { countryName } from './country.ts';
import { folded } from './folding.ts';
import { likeness } from './likeness.ts';
import { provinceKey, provinceNames, provincesMeant, provincesOf } from './provinces.ts';

const maxSuggestions = 3;
/** Below, a name is not that which was meant. */
const leastLikeness = 0.5;

const list = (country: string, provinces: readonly { code: string; name: string }[]) =>
  provinces.map(({ code, name }) => `${name} (${code.slice(country.length + 1)})`).join(', ');

/** The provinces with the names that are most like a text, by any of their names. */
function similarProvinces(country: string, text: string) {
  const written = folded(text);
  const names = provinceNames(country);
  const likest = (key: string) => Math.max(...(names.get(key) ?? []).map((name) => likeness(folded(name), written)));
  return provincesOf(country)
    .map((province) => ({ ...province, like: likest(province.code.slice(country.length + 1)) }))
    .filter(({ like }) => like >= leastLikeness)
    .sort((one, other) => other.like - one.like)
    .slice(0, maxSuggestions);
}

/**
 * The key of a province of a country; of a country without known provinces, any text in its stored form.
 * @param pointer to the province in the body
 * @throws invalid_request (400) for a text that is no province of the country, or the name of several
 */
export function knownProvinceKey(country: string, province: string, pointer: string): string {
  const all = provincesOf(country);
  if (all.length === 0) return provinceKey(country, province);
  const [key, ...others] = provincesMeant(country, province);
  if (key === undefined) {
    const similar = similarProvinces(country, province);
    const advice = similar.length > 0 ? `Similar ones: ${list(country, similar)}` : 'GET /countries lists them';
    throw invalidField(pointer, `is no province of ${countryName(country)}. ${advice}`);
  }
  if (others.length === 0) return key;
  const meant = all.filter(({ code }) => [key, ...others].includes(code.slice(country.length + 1)));
  throw invalidField(pointer, `is the name of several provinces: ${list(country, meant)}`);
}
