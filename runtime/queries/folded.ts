/**
 * Text as it is searched for: without regard to case, width, accents and apostrophes, in the languages where people leave
 * these out, and to the script of digits. Marks that make another letter of it stay, such as the vowels of Devanagari.
 */
import anyAscii from 'any-ascii';
import { plainDigits } from '../http/written.ts';

/** Marks of scripts that are read without them. */
const accents = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu;
const apostrophes = /['’‘ʼʻ´`＇׳״]|(?<=\p{Script=Hebrew})"(?=\p{Script=Hebrew})/gu;
/** The dot of Indian letters of foreign sounds, which many leave out: फ़ is found by फ. */
const nuktas = /[\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]/g;
/** Hyphens that look like that of keyboards; U+2011 is the first of them, decomposed. */
const hyphens = /[\u2010\u2212]/g;
/** Letters that no mark makes: ß, ł, ø, æ, ı. */
const otherLetters = /(?!\p{ASCII})\p{Script=Latin}/gu;

/**
 * @param apostrophe in place of each: nothing, or a space between the words that it joins
 * @returns the text in small letters, composed
 */
export function foldText(text: string, apostrophe: '' | ' ' = ''): string {
  const parts = plainDigits(text).replaceAll(apostrophes, apostrophe).normalize('NFKD');
  const bare = parts.replaceAll(accents, '$1').replaceAll(nuktas, '').replaceAll(hyphens, '-').normalize('NFKC');
  // One letter of Greek has two small forms, by its place in the word.
  return bare
    .replaceAll(otherLetters, (letter) => anyAscii(letter))
    .toLowerCase()
    .replaceAll('ς', 'σ');
}

const sameLetters = { ß: 'ss', ς: 'σ', ı: 'i' };

/** An SQL expression for a text as `foldCase` returns it, for the letters that people write. */
export function foldedCase(text: string): string {
  const shown = `regexp_replace(normalize(${text}, NFKC), '[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff]', '', 'g')`;
  return Object.entries(sameLetters).reduce(
    (sql, [letter, plain]) => `replace(${sql}, '${letter}', '${plain}')`,
    `lower(replace(${shown}, 'İ', 'I'))`,
  );
}
