/**
 * The table of the glossary: terms in alphabetical order, each with the words that are not used for it.
 */
export const glossaryFile = 'docs/glossary.md';

/** A word or phrase to avoid, in lower case, and the term that replaces it. */
export interface AvoidedPhrase {
  words: string[];
  term: string;
  /** Folders and files in which it may be used. */
  exceptions: string[];
}

export interface Glossary {
  avoided: AvoidedPhrase[];
  /** What is wrong with the table, a line each. */
  faults: string[];
}

const plain = (cell: string) => cell.replaceAll('`', '').trim();

/** A phrase in backticks, and the folders of ``(but in vendor/payment, rigs)`` after it. */
const phrases = /`([^`]+)`(?: \(but in ([^)]+)\))?/g;

export function readGlossary(markdown: string): Glossary {
  const rows = markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1));
  const avoided: AvoidedPhrase[] = [];
  const faults: string[] = [];
  let previous = '';
  // The first two rows are the heading and the line below it.
  for (const cells of rows.slice(2)) {
    const [term, meaning, not] = cells.map((cell) => cell.trim());
    if (!term || !meaning || not === undefined || cells.length !== 3) {
      faults.push(`${glossaryFile}: a row needs a term, a meaning and a third cell: ${cells.join('|')}`);
      continue;
    }
    const name = plain(term);
    if (name.localeCompare(previous, 'en') <= 0) faults.push(`${glossaryFile}: "${name}" belongs before "${previous}"`);
    previous = name;
    for (const [, phrase = '', folders] of not.matchAll(phrases)) {
      const words = phrase.toLowerCase().split(/\s+/);
      const known = avoided.find((other) => other.words.join(' ') === words.join(' '));
      if (known) faults.push(`${glossaryFile}: "${phrase}" is listed for "${known.term}" and for "${name}"`);
      avoided.push({ words, term: name, exceptions: folders?.split(/,\s*/) ?? [] });
    }
  }
  if (avoided.length === 0) faults.push(`${glossaryFile}: the table has no words to avoid`);
  return { avoided, faults };
}
