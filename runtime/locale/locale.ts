/**
 * Locales: BCP 47 language tags, as JavaScript's `Intl` uses them to format dates and amounts. Requests write them in any
 * case (RFC 5646, section 2.1.1), some with `_`; what is stored has the usual one.
 */
import { defineInputForms } from '../http/input-forms.ts';
import { Type } from '../http/schemas.ts';
import { defineFormat } from '../http/validation.ts';

const pattern = '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$';
const stored = new RegExp(pattern);
const maxLength = 35;

/** True for a valid language tag: `de`, `pt-BR`, `zh-Hant-TW`, but not `en-GB-US`. */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** A language tag as it is stored: `en-GB` for `EN-gb` and for `en_GB`, which POSIX and Java write; null if it is none, or one with extensions. */
export function canonicalLocale(tag: string): string | null {
  const text = tag.trim().replaceAll('_', '-');
  if (!isLocale(text)) return null;
  const [canonical = ''] = Intl.getCanonicalLocales(text);
  return stored.test(canonical) && canonical.length <= maxLength ? canonical : null;
}

const meaning = 'a language tag of BCP 47';
const format = defineFormat('locale', meaning, isLocale);
defineInputForms(format, {
  name: 'language-tag',
  meaning,
  parse: canonicalLocale,
  maxLength,
  description: 'A language tag of BCP 47, in any case; `_` counts as `-`',
});

/** The schema of a locale. In bodies and queries of requests it takes any case, and handlers get the usual one. */
export const Locale = Type.String({ pattern, format, maxLength, examples: ['en-GB'] });
