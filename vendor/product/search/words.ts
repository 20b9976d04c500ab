/**
 * The words by which products are found besides those of their titles as they are written (`store.ts`): of titles without
 * accents and apostrophes, and SKUs. The table of words holds them too, so that a search reads one index. SKUs have a mark of
 * their own before them: they are compared with those of other products.
 */
import { foldCase, foldText } from '@carton/runtime';

/** Characters stored from the beginning of a word. */
export const indexedLength = 40;
const skuMark = '\u0001';
const truncate = (text: string) => Array.from(text).slice(0, indexedLength).join('');

/** Letters of scripts that are written without spaces: each begins a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const letter = /[\p{L}\p{M}\p{N}]/u;

/** The text from the beginning of each of its words. */
function wordsFrom(text: string): string[] {
  const characters = Array.from(text);
  return characters.flatMap((character, at) => {
    const before = characters[at - 1] ?? ' ';
    const begins =
      letter.test(character) && (!letter.test(before) || unspaced.test(character) || unspaced.test(before));
    return begins ? [characters.slice(at, at + indexedLength).join('')] : [];
  });
}

/** The form in which SKUs are compared. */
export const skuKey = foldCase;

/** The word that finds a SKU from its beginning. */
export function skuWord(sku: string): string {
  return skuMark + truncate(skuKey(sku));
}

/** The words that find a SKU: as it is compared, and without accents. */
function skuWords(sku: string): string[] {
  // The mark alone would find every SKU.
  return [skuWord(sku), skuMark + truncate(foldText(skuKey(sku)))].filter((word) => word !== skuMark);
}

/** Parts of a SKU from which it is found at most. */
const maxParts = 8;

/** A SKU from the beginning of each of its parts but the first: `1234-X` and `X` of `AB-1234-X`. */
function partsOf(sku: string): string[] {
  const begins = sku.matchAll(/(?<=[^\p{L}\p{M}\p{N}])[\p{L}\p{N}]/gu);
  return [...begins].slice(0, maxParts).map(({ index }) => sku.slice(index));
}

/**
 * The words of the SKUs: each from its beginning, and from that of each of its parts. Of one with spaces also each text
 * between them, since a search is for words.
 */
export function wordsOfSkus(skus: readonly (string | null)[]): string[] {
  const words = skus.flatMap((sku) => (sku === null ? [] : [sku, ...sku.split(/\s+/u), ...partsOf(sku)]));
  return [...new Set(words.filter((word) => word !== '').flatMap(skuWords))];
}

/** The words of a title that is written with accents, apostrophes or letters that many keyboards lack. */
function foldedWords(title: string): string[] {
  const written = title.toLowerCase();
  // `O'Neill` is found by oneill, `l’été` by ete.
  const folded = [foldText(title), foldText(title, ' ')].filter((text) => text !== written);
  return [...new Set(folded.flatMap(wordsFrom))];
}

/** A word that is searched for, in the forms in which the table may have it. */
export interface Term {
  /** The first is the text as it was typed. */
  readonly forms: readonly string[];
}

/** Words of a search at most; the others are left out. */
const maxTerms = 8;
const opening = /^["'“”„«»‹›(¿¡]+(?=.)/u;
// It begins after the first character or after a letter: tried anywhere else, long texts of such marks would take very long.
const closing = /(?<=^.|[^"'“”«»‹›),;:.!?、。，])["'“”«»‹›),;:.!?、。，]+$/u;

/** The words of a search: all of them must be found. */
export function termsOf(q: string): Term[] {
  const typed = [...new Set(q.split(/\s+/u).filter((word) => word !== ''))].slice(0, maxTerms);
  return typed.map((word) => {
    const bare = word.replace(opening, '').replace(closing, '');
    const forms = [bare, foldText(bare), ...skuWords(bare)].filter((form) => form !== '');
    // The statement needs two: it has each form as a part of a union.
    return { forms: [...new Set(forms), ...(new Set(forms).size === 1 ? [bare] : [])] };
  });
}

/** What is searched of a product. */
export interface SearchedTexts {
  id: string;
  title: string;
  skus: string[];
}

export function wordsOfTexts({ title, skus }: Pick<SearchedTexts, 'title' | 'skus'>): string[] {
  return [...foldedWords(title), ...wordsOfSkus(skus)];
}
