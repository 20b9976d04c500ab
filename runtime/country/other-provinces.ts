/**
 * The names of provinces that neither the standard nor the CLDR has: those of `other-province-names.ts`, and numbers.
 */
import { otherNames } from './other-province-names.ts';

/** Provinces in the order of their numbers: in Spain, postal codes begin with them. */
const numbered: Readonly<Record<string, string>> = {
  CL: 'TA AN AT CO VS LI ML BI AR LL AI MA RM LR AP NB',
  ES: `VI AB A AL AV BA PM B BU CC CA CS CR CO C CU GI GR GU SS H HU J LE L LO LU M MA MU NA OR O P GC PO SA TF S SG SE SO
    T TE TO V VA BI ZA Z CE ML`,
};
const roman = 'I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI'.split(' ');

/** The number of a province as it is written in its country; null for none. */
function numberOf(country: string, key: string): string | null {
  const at = numbered[country]?.split(/\s+/).indexOf(key) ?? -1;
  if (at < 0) return null;
  return country === 'CL' ? (roman[at] ?? null) : String(at + 1).padStart(2, '0');
}

/** The other names of a province. @param key its code without the country */
export function otherNamesOf(country: string, key: string): string[] {
  const names = (otherNames[country]?.[key] ?? '').split(',').flatMap((name) => name.trim() || []);
  const number = numberOf(country, key);
  return number === null ? names : [...names, number];
}

/** The codes of all provinces that have other names. */
export const otherwiseNamed: readonly string[] = Object.entries(otherNames).flatMap(([country, names]) =>
  Object.keys(names).map((key) => `${country}-${key}`),
);
