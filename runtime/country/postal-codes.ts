/**
 * Postal codes, checked by country: by the npm package `postcode-validator` and by the data of Google's libaddressinput. A
 * code that either takes is one, since false alarms are worse than a wrong code.
 */
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { rulesOfAddresses } from './postal-lines.ts';

const maxLength = 20;

/** The forms in which a code may be meant: with its spaces and hyphens, without, and with one at any place. */
function formsOf(written: string): string[] {
  const key = written.replaceAll(/[^A-Z0-9]/g, '');
  const divided = Array.from({ length: Math.max(0, key.length - 1) }, (_, at) =>
    [' ', '-'].map((mark) => `${key.slice(0, at + 1)}${mark}${key.slice(at + 1)}`),
  );
  return [written, ...(key === '' ? [] : [key]), ...divided.flat()];
}

/**
 * Whether a text may be a postal code of a country, whatever its case, spaces and hyphens; with or without the code of the
 * country before it. Countries whose codes are not known have any.
 * @param country ISO 3166-1 alpha-2
 */
export function isPostalCode(country: string, text: string): boolean {
  const written = text.normalize('NFKC').trim().toUpperCase();
  const isListed = postcodeValidatorExistsForCountry(country);
  const rule = rulesOfAddresses[country]?.postalCode;
  if (!isListed && rule === undefined) return true;
  if (written.length > maxLength) return false;
  const pattern = rule === undefined ? null : new RegExp(`^(?:${rule})$`);
  // D-10115
  const forms = [...formsOf(written), ...formsOf(written.replace(/^[A-Z]{1,3}-(?=\d)/, ''))];
  return forms.some((form) => (isListed && postcodeValidator(form, country)) || pattern?.test(form));
}
