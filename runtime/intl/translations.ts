/**
 * Texts in several languages: which one is used, and how numbers and times in it are written.
 */
import { inLanguages } from './languages.ts';

/** Texts by language (ISO 639), in English at least. */
export type Translations<Texts> = Readonly<Partial<Record<string, Texts>>> & { readonly en: Texts };

export interface Translation<Texts> {
  /** BCP 47: the language of the texts. */
  readonly language: string;
  /** BCP 47: how numbers and times are written among these texts. */
  readonly formats: string;
  readonly texts: Texts;
}

/** The language of a locale: `pt` for `pt-BR`. */
export function languageOf(locale: string): string {
  return new Intl.Locale(locale).language;
}

/** The first of the locales that is of a language, else the language itself. */
export function formatsFor(language: string, locales: readonly (string | null)[]): string {
  return locales.find((locale) => locale !== null && languageOf(locale) === languageOf(language)) ?? language;
}

/**
 * Chooses the texts of the first locale that has some, else the English ones.
 * @param locales BCP 47, the reader's first
 */
export function translationFor<Texts>(
  translations: Translations<Texts>,
  locales: readonly (string | null)[],
): Translation<Texts> {
  for (const locale of locales) {
    const language = locale && languageOf(locale);
    const texts = language ? translations[language] : undefined;
    if (language && locale && texts !== undefined) return { language, formats: locale, texts };
  }
  return { language: 'en', formats: formatsFor('en', locales), texts: translations.en };
}

const ofPackages = inLanguages((language) => language);

/**
 * The locale in which pages and mails with the packages' own texts are written, with their numbers and names of countries:
 * the first whose language the packages have, else English.
 * @param locales BCP 47, the reader's first
 */
export function localeOfTexts(locales: readonly (string | null)[]): string {
  return translationFor(ofPackages, locales).formats;
}

/** Whether text of a locale runs from right to left. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  // TypeScript does not know this part of ECMA-402 yet.
  const known = new Intl.Locale(locale) as Intl.Locale & { getTextInfo(): { direction?: string } };
  return known.getTextInfo().direction === 'rtl' ? 'rtl' : 'ltr';
}
