/**
 * Checks phrases in all languages: none is missing, and each has the placeholders of the English one.
 */
import { type InLanguages, languages } from '../intl/languages.ts';

const placeholdersOf = (phrase: string) => (phrase.match(/\{\w+\}/g) ?? []).sort().join();

/** @returns each phrase that is missing or has other placeholders: `de.placedOn` */
export function faultsOfPhrases<Phrases extends Record<keyof Phrases, string>>(
  phrases: InLanguages<Phrases>,
): string[] {
  return languages.flatMap((language) =>
    Object.entries<string>(phrases.en).flatMap(([name, english]) => {
      const phrase = phrases[language][name as keyof Phrases] as string | undefined;
      const isFit = phrase !== undefined && phrase.trim() !== '' && placeholdersOf(phrase) === placeholdersOf(english);
      return isFit ? [] : [`${language}.${name}`];
    }),
  );
}
