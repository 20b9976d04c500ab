/**
 * Locales: BCP 47 language tags, as JavaScript's `Intl` uses them to format dates and amounts.
 */
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

/** True for a valid language tag: `de`, `pt-BR`, `zh-Hant-TW`, but not `en-GB-US`. */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** The schema of a locale. */
export const Locale = Type.String({
  pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
  format: defineFormat('locale', 'a language tag of BCP 47', isLocale),
  maxLength: 35,
  examples: ['en-GB'],
});
