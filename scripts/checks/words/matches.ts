/**
 * Finds words and phrases in a text: in prose, in strings, and in identifiers, which are split at their capitals.
 */
import type { AvoidedPhrase } from './glossary.ts';

export interface Match {
  line: number;
  /** As the text has it. */
  words: string;
  term: string;
}

/** What is a name from elsewhere or an agreed one, and not a choice of words. */
const names = [
  /[a-z][a-z+.-]*:\/\/[^\s'"`<>)]*/gi, // a URL
  /[\w.+-]+@[\w-]+\.[\w.-]+/g, // an e-mail address
  /[@.\w${}*-]*\/[@.\w${}*:%?=&/-]+/g, // a path of a file, a route or a package
  /(?:[\w*-]+\.)+(?:com|de|example|internal|invalid|local|localhost|net|org|test)\b/gi, // a host name
  /(?<=['"`])[\w*${}-]+(?:\.[\w*${}-]+)+(?=['"`:])/g, // a quoted host name, or the type of an event
  /(?<=['"`])[a-z0-9]+(?:-[a-z0-9]+)*-\$\{/g, // the beginning of a slug
  /(?<=['"`])[a-z0-9]+(?:-[a-z0-9]+)+(?=['"`])/g, // a quoted slug
  /(?<=['"])[a-z0-9]+(?=\\?['"])/g, // a quoted word: a slug or a value
  /\w*_\w*/g, // a column, a setting, a code
  /(?<!\w)(?:allSettled|PromiseSettledResult)/g, // a method of Promise, and its type
];

/** Between two words of a phrase: a space, a capital, or a new line of the same comment or paragraph. */
const between = /^(?:[ \t]*|[ \t]*\r?\n[ \t]*(?:\*|\/\/|#|>)?[ \t]*)$/;

const descriptions = /"(?:description|summary|title|detail)":\s*"((?:[^"\\]|\\.)*)"/g;

/** The matches of a text, in its order; of a JSON file only descriptions are read. */
export function findAvoidedWords(text: string, avoided: readonly AvoidedPhrase[], file = ''): Match[] {
  const read = file.endsWith('.json') ? keepOnly(text, descriptions) : text;
  const masked = names.reduce((rest, name) => rest.replace(name, blank), read);
  const words = [...masked.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map(({ 0: word, index }) => ({
    text: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));

  const byFirstWord = Map.groupBy(avoided, (phrase) => (phrase.words.length > 1 ? (phrase.words[0] as string) : ''));
  const single = byFirstWord.get('') ?? [];
  const matches: Match[] = [];
  words.forEach((first, position) => {
    const candidates = [...single, ...(byFirstWord.get(first.text) ?? [])];
    for (const phrase of candidates) {
      const found = words.slice(position, position + phrase.words.length);
      if (
        !isPhrase(
          phrase.words,
          found.map((word) => word.text),
        )
      )
        continue;
      const gaps = found.slice(1).map((word, index) => masked.slice(found[index]?.end, word.start));
      if (!gaps.every((gap) => between.test(gap))) continue;
      const line = text.slice(0, first.start).split('\n').length;
      const end = found.at(-1)?.end;
      matches.push({ line, words: text.slice(first.start, end).replace(/\s*\n[\s*/#>]*/g, ' '), term: phrase.term });
    }
  });
  return matches;
}

/** Whether the words are those of the phrase, the last one perhaps in the plural. */
function isPhrase(phrase: readonly string[], words: readonly string[]): boolean {
  const last = phrase.length - 1;
  return phrase.every((word, index) => {
    const other = words[index];
    return other === word || (index === last && (other === `${word}s` || other === `${word}es`));
  });
}

/** As many characters and lines, and no words. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, '\0');
}

function keepOnly(text: string, pattern: RegExp): string {
  let masked = blank(text);
  for (const { 0: match, 1: inner = '', index } of text.matchAll(pattern)) {
    const start = index + match.length - 1 - inner.length;
    masked = masked.slice(0, start) + inner + masked.slice(start + inner.length);
  }
  return masked;
}
