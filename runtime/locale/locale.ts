/**
 * Locales: the tags of BCP 47 for languages, as the runtime's own formatting of dates and amounts takes them.
 */
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

/** True for a tag that names a language: `de`, `pt-BR`, `zh-Hant-TW`. What only looks like one is none: `en-GB-US`. */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** A locale as it is sent. */
export const Locale = Type.String({
  pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
  format: defineFormat('locale', 'a language tag of BCP 47', isLocale),
  maxLength: 35,
  examples: ['en-GB'],
});
