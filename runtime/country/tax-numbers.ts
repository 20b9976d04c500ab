/**
 * Tax numbers of businesses: the form that the number of a country has, and the one form in which it is stored. Of the
 * countries of the EU, Northern Ireland, Great Britain and Switzerland form and check digits are known (jsvat-next); their
 * numbers begin with the country. A number of any other country is a text.
 *
 * Source of the forms: https://ec.europa.eu/taxation_customs/vies/#/faq, question 11
 */
import jsvat from 'jsvat-next';
import { invalidField, Problem } from '../http/problems.ts';
import { humanText, type Static, withOptions } from '../http/schemas.ts';
import { foldCapitals, plainDigits } from '../http/written.ts';
import { cleaned } from './folding.ts';
import { isMemberState } from './vat-territory.ts';

export const TaxNumber = withOptions(humanText(50, { examples: ['FR40303265045'] }), {
  description:
    'Number of a business for value added tax, with the letters of its country: `FR40303265045`, `EL` for Greece, `XI` for Northern Ireland. Stored in capitals without spaces and punctuation, a Swiss one with `MWST`; one of a country whose form is not known, as it is',
});
export type TaxNumber = Static<typeof TaxNumber>;

/** By the letters that a number begins with: 9 is a digit, X a letter or a digit, and parts in brackets are optional. */
const forms: Readonly<Record<string, string>> = {
  AT: 'ATU99999999',
  BE: 'BE9999999999',
  BG: 'BG999999999[9]',
  CH: 'CHE999999999[MWST]',
  CY: 'CY99999999X',
  CZ: 'CZ99999999[99]',
  DE: 'DE999999999',
  DK: 'DK99999999',
  EE: 'EE999999999',
  EL: 'EL999999999',
  ES: 'ESX9999999X',
  FI: 'FI99999999',
  FR: 'FRXX999999999',
  GB: 'GB999999999[999]',
  HR: 'HR99999999999',
  HU: 'HU99999999',
  IE: 'IE9X99999X[X]',
  IT: 'IT99999999999',
  LT: 'LT999999999[999]',
  LU: 'LU99999999',
  LV: 'LV99999999999',
  MT: 'MT99999999',
  NL: 'NL999999999B99',
  PL: 'PL9999999999',
  PT: 'PT999999999',
  RO: 'RO9999999999',
  SE: 'SE999999999999',
  SI: 'SI99999999',
  SK: 'SK9999999999',
  XI: 'XI999999999[999]',
};

/** The country in the list of the library, by the letters of the number. */
const isoOf: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' };

/** Capitals of other scripts that look like Latin ones: Cyrillic, then Greek. */
const lookAlikes = new Map(
  ['АA', 'ВB', 'ЕE', 'КK', 'МM', 'НH', 'ОO', 'РP', 'СC', 'ТT', 'УY', 'ХX', 'ІI', 'ЈJ', 'ЅS']
    .concat(['ΑA', 'ΒB', 'ΕE', 'ΖZ', 'ΗH', 'ΙI', 'ΚK', 'ΜM', 'ΝN', 'ΟO', 'ΡP', 'ΤT', 'ΥY', 'ΧX'])
    .map(([other, latin]): [string, string] => [other as string, latin as string]),
);

/** Without what people write between the digits, in Latin capitals of the usual width. */
const compact = (text: string) =>
  plainDigits(foldCapitals(cleaned(text)))
    .replaceAll(/[\s\p{P}]/gu, '')
    .replaceAll(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => lookAlikes.get(letter) ?? letter);

/** What has several forms has one: Greece's own code, the languages of Switzerland, Belgian numbers of before 2008. */
const unified = (number: string) =>
  number
    // Greece's own code is GR; its numbers have had another one from the beginning.
    .replace(/^GR(?:EL)?(?=\d)/, 'EL')
    .replace(/^(CHE\d{9})(?:MWST|TVA|IVA|TPV)?$/, '$1MWST')
    .replace(/^BE(?=\d{9}$)/, 'BE0');

/**
 * The letters of a number: the ISO code of its country but `EL` for Greece, and `XI` for Northern Ireland. Null for a
 * number of a country whose form is not known.
 */
export function prefixOfTaxNumber(number: string): string | null {
  const prefix = number.slice(0, 2);
  return Object.hasOwn(forms, prefix) ? prefix : null;
}

/**
 * The number as it is stored. Absent for absent, and null for null and a blank text.
 * @param pointer of the field in the body
 * @throws invalid_request (400) for a number that does not have the form of its country, which is named
 */
export function writtenTaxNumber(text: string, pointer: string): string;
export function writtenTaxNumber(text: string | null | undefined, pointer: string): string | null | undefined;
export function writtenTaxNumber(text: string | null | undefined, pointer: string): string | null | undefined {
  if (text === undefined) return undefined;
  const shown = cleaned(text ?? '');
  if (shown === '') return null;
  const number = unified(compact(shown));
  const prefix = prefixOfTaxNumber(number);
  if (prefix === null) return shown;
  const country = jsvat.countries.find(({ codes }) => codes[0] === (isoOf[prefix] ?? prefix));
  if (country && jsvat.checkVAT(number, [country]).isValid) return number;
  const form = `${forms[prefix]}, where 9 is a digit, X a letter or a digit, and what is in brackets may be left out`;
  throw invalidField(pointer, `must be a number with right check digits of the form ${form}`);
}

/** A text as the valid number of a member state of the EU, in its stored form; null for anything else. */
export function memberStateNumber(text: string | null): string | null {
  const number = storedForm(text);
  const prefix = number === null ? null : prefixOfTaxNumber(number);
  return prefix !== null && isMemberState(isoOf[prefix] ?? prefix) ? number : null;
}

function storedForm(text: string | null): string | null {
  try {
    return writtenTaxNumber(text, '/vatNumber') ?? null;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
