/**
 * Phone numbers in the formats that people write.
 */
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

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

/** The schema of a phone number. */
export const Phone = Type.String({
  format: defineFormat('phone', 'a phone number, with its country code or without', isPhone),
  maxLength: 50,
  examples: ['+33 1 23 45 67 89'],
});
