/**
 * Phone numbers in the formats that people write.
 */
import { defineInputForms } from '../http/input-forms.ts';
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';
import { plainDigits, withoutInvisible, writtenText } from '../http/written.ts';

const extension = /(?:;ext=| ?(?:ext\.?|x|#) ?)\d{1,7}$/i;

/**
 * True for 5 to 15 digits (E.164 allows 15), the first of them not 0 after a `+`, with spaces and `( ) - . /` between
 * them, and optionally an extension: `+49 (0) 30 / 123 45-67`, `(555) 010-0199 ext. 12`. Only the form is checked.
 */
export function isPhone(text: string): boolean {
  const number = text.replace(extension, '').replaceAll(/\((\+?\d[\d ]*)\)/g, '$1');
  if (!/^(?:\+[1-9]|\d)(?:[ ./-]{0,3}\d)*$/.test(number)) return false;
  const digits = number.replaceAll(/\D/g, '').length;
  return digits >= 5 && digits <= 15;
}

/**
 * A phone number as it is stored: in the characters of keyboards, without those that are not shown, with which contacts
 * copy numbers. Null if nothing is left.
 */
export function writtenPhone(text: string | null | undefined): string | null {
  const shown = writtenText(withoutInvisible(text ?? ''));
  if (shown === null) return null;
  const usual = plainDigits(shown).normalize('NFKC');
  // Few letters are longer in the usual width. They stay as they are, so that no text exceeds the length that was checked.
  return usual.length > shown.length ? shown : usual.replaceAll(/[\u2010-\u2015\u2212]/g, '-');
}

const maxLength = 50;
const meaning = 'a phone number, with its country code or without';
const format = defineFormat('phone', meaning, isPhone);
defineInputForms(format, {
  name: 'phone-or-copied',
  meaning,
  parse(text) {
    const written = writtenPhone(text);
    return written !== null && written.length <= maxLength && isPhone(written) ? written : null;
  },
  // With the invisible characters.
  maxLength: 2 * maxLength,
  description: 'A phone number in any width and script of digits',
});

/** The schema of a phone number. In bodies and queries of requests it takes copied ones, which handlers get as they are stored. */
export const Phone = Type.String({ format, maxLength, examples: ['+33 1 23 45 67 89'] });
