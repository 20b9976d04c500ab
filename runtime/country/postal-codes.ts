/**
 * Postal codes, checked by country: by the npm package `postcode-validator` and by the data of Google's libaddressinput. A
 * code that either takes is one, since false alarms are worse than a wrong code.
 */
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { isAscii, plainDigits } from '../http/written.ts';
import { rulesOfAddresses } from './address-rules.ts';

const maxLength = 20;

/** Letters before a code from abroad, where they are not the code of the country: those of its cars. */
const otherPrefixes: Readonly<Record<string, string>> = {
  AT: 'A',
  AX: 'FI',
  BE: 'B',
  DE: 'D',
  ES: 'E',
  FI: 'FIN',
  FR: 'F',
  GB: 'UK',
  HU: 'H',
  IE: 'IRL',
  IT: 'I',
  LI: 'FL',
  LU: 'L',
  NO: 'N',
  PT: 'P',
  RU: 'RUS',
  SE: 'S',
  SI: 'SLO',
  US: 'USA',
};

/** Codes that neither has: newer ones, former ones in use, and those of post office boxes. */
export const otherCodes: Readonly<Record<string, RegExp>> = {
  EG: /^\d{7}$/,
  HN: /^[A-Z]{2}\d{4}$/,
  KH: /^\d{6}$/,
  KR: /^\d{6}$/,
  KZ: /^[A-Z]\d{2}[A-Z]\d[A-Z]\d$/,
  MM: /^\d{7}$/,
  MN: /^\d{6}$/,
  PA: /^\d{9}$/,
  PY: /^\d{6}$/,
  SA: /^\d{9}$/,
  SV: /^\d{4,5}$/,
  TZ: /^\d{6}$/,
  VE: /^\d{4}[A-Z]$/,
};

const plain = (text: string) => (isAscii(text) ? text : plainDigits(text).normalize('NFKC')).trim().toUpperCase();
const lettersAndDigits = (text: string) => text.replaceAll(/[^A-Z0-9]/g, '');

/** Returns a function of countries that makes each pattern once. */
function perCountry(make: (country: string) => RegExp | null): (country: string) => RegExp | null {
  const made = new Map<string, RegExp | null>();
  return (country) => {
    if (!made.has(country)) made.set(country, make(country));
    return made.get(country) ?? null;
  };
}

const prefixOf = perCountry((country) => {
  const own = [country, otherPrefixes[country] ?? country].join('|');
  return new RegExp(`^(?:[A-Z]{1,3}-(?=\\d)|(?:${own})[ -]+(?=[A-Z0-9])|(?:${own})(?=\\d))`);
});
const patternOf = perCountry((country) => {
  const rule = rulesOfAddresses[country]?.postalCode;
  return rule === undefined ? null : new RegExp(`^(?:${rule})$`);
});

/** Where the rule has a mark that nobody writes. */
const undividedCountries = new Set(['FR']);

/** With the marks that the rule leaves to the writer; before the four digits of ZIP+4 both are right. */
const strictPatternOf = perCountry((country) => {
  const rule = rulesOfAddresses[country]?.postalCode;
  const mark = undividedCountries.has(country) ? '' : '$1';
  return rule === undefined ? null : new RegExp(`^(?:${rule.replaceAll(/([ -])\?/g, mark)})$`);
});

/** Without the country before the code: `D-10115`, `CH 8001`, `AZ1000`. */
function withoutCountry(country: string, written: string): string {
  return written.replace(prefixOf(country) as RegExp, '');
}

/** A code in capitals, without the country before it. */
export function bareCode(country: string, text: string): string {
  return withoutCountry(country, plain(text));
}

/** A pattern without the country before it, where a space or a hyphen says that the letters are not of the code. */
export function withoutPostalCountry(country: string, text: string): string {
  const written = plain(text);
  return /^[A-Z]+[ -]+/.test(written) ? withoutCountry(country, written) : written;
}

/**
 * The forms in which a postal code is compared, of letters in upper case and digits: without the country before it, and
 * with it, since in some countries these letters are a part of the code.
 */
export function postalForms(country: string, text: string): string[] {
  const written = plain(text);
  return [...new Set([withoutCountry(country, written), written].map(lettersAndDigits))].filter((form) => form !== '');
}

/**
 * A postal code as its country writes it, in which it is stored and printed: `SW1A 2AA` for `sw1a2aa`, `80331` for
 * `D-80331`, and `LV-1010` for `1010`, since in Latvia the country is a part of the code. Where the form is not known, or the
 * text is no code in it, the text as it is.
 */
export function printedCode(country: string, text: string): string {
  const strict = strictPatternOf(country);
  if (strict === null || text.length > maxLength) return text;
  const written = plain(text);
  if (!isAscii(written) && foreign.test(written)) return text;
  const bare = withoutCountry(country, written);
  // With its letters first, where they are of the code: C1425DKA.
  for (const form of [written, bare, `${country}${bare}`]) {
    const key = lettersAndDigits(form);
    if (strict.test(key)) return key;
    const found = ['-', ' '].flatMap((mark) => dividedBy(mark, key)).find((each) => strict.test(each));
    if (found !== undefined) return found;
  }
  return text;
}

/** Countries whose codes are a part of the British ones: those of Jersey begin with JE, those of Guernsey with GY. */
const likeBritish: readonly string[] = ['GG', 'JE'];

/**
 * The other country to which a postal code of the form of a country belongs: `JE` for `JE2 3AB` in `GB`; null for none.
 * Jersey and Guernsey have taxes of their own. The Isle of Man has the taxes and the post of the United Kingdom, so that its
 * codes are taken for either.
 */
export function otherCountryOfCode(country: string, text: string): string | null {
  return country === 'GB' ? (likeBritish.find((other) => isPostalCode(other, text)) ?? null) : null;
}

/** A text with a mark at each place. */
function dividedBy(mark: string, key: string): string[] {
  return Array.from(
    { length: Math.max(0, key.length - 1) },
    (_, at) => `${key.slice(0, at + 1)}${mark}${key.slice(at + 1)}`,
  );
}

/** Countries whose codes are British: the last three characters are the second part of a code, and the first part varies. */
const british = new Set(['GB', 'GG', 'IM', 'JE']);
const firstPart = /^(?:[A-Z]{1,2}\d[A-Z\d]?|GIR|BFPO)$/;
const undivided = /^([A-Z]{1,2}\d[A-Z\d]?)(\d[A-Z]{0,2})(\*?)$|^(GIR|BFPO)(\d\w*)(\*?)$/;

/**
 * A code or the pattern of one without spaces, but for that between the two parts of a British code. One that is written
 * without it is divided if it is too long for a first part.
 * @param written in capitals
 */
export function dividedCode(country: string, written: string): string {
  const compact = written.replaceAll(/\s/g, '');
  if (!british.has(country)) return compact;
  const bare = compact.replaceAll('-', '');
  const [, first = '', second] = /^\s*(\w+)[\s-]+((?:\d\w*)?\*?)\s*$/.exec(written) ?? [];
  if (second && firstPart.test(first)) return `${first} ${second}`;
  if (firstPart.test(bare.replace('*', ''))) return bare;
  return bare.replace(undivided, '$1$4 $2$5$3$6');
}

/** The forms in which a code may be meant: with its spaces and hyphens, without, and with one at any place. */
function formsOf(written: string): string[] {
  const key = lettersAndDigits(written);
  return [written, ...(key === '' ? [] : [key]), ...[' ', '-'].flatMap((mark) => dividedBy(mark, key))];
}

/**
 * A letter, digit or mark that no code has, such as a К that looks like a K. What is left without it may be another code.
 * Japanese keyboards write ー for a hyphen.
 */
const foreign = /(?![A-Z0-9ー])[\p{L}\p{N}\p{M}]/u;

/**
 * Whether a text may be a postal code of a country, whatever its case, spaces and hyphens; with or without the code of the
 * country before it. Countries whose codes are not known have any.
 * @param country ISO 3166-1 alpha-2
 */
export function isPostalCode(country: string, text: string): boolean {
  const written = plain(text);
  const isListed = postcodeValidatorExistsForCountry(country);
  const rule = rulesOfAddresses[country]?.postalCode;
  if (!isListed && rule === undefined) return true;
  if (written.length > maxLength || (!isAscii(written) && foreign.test(written))) return false;
  const patterns = [patternOf(country), otherCodes[country] ?? null];
  const matches = (form: string) =>
    (isListed && postcodeValidator(form, country)) || patterns.some((each) => each?.test(form));
  if (matches(written)) return true;
  const bare = withoutCountry(country, written);
  // In Andorra, 500 is AD500.
  const meant = [...new Set([written, bare, ...(rule?.startsWith(country) ? [`${country}${bare}`] : [])])];
  return meant.some(matches) || meant.flatMap(formsOf).some(matches);
}
