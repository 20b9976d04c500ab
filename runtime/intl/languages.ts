/**
 * The languages in which packages have their own texts: mails, and pages that a box serves.
 */

export const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'ja', 'ar'] as const;
export type Language = (typeof languages)[number];

/** Something in each of the languages. */
export type InLanguages<T> = Readonly<Record<Language, T>>;

/** Makes something in each of the languages. */
export function inLanguages<T>(make: (language: Language) => T): InLanguages<T> {
  return Object.fromEntries(languages.map((language) => [language, make(language)])) as Record<Language, T>;
}
