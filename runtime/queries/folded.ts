/**
 * Text as it is searched for: without regard to case, width, accents and apostrophes, in the languages where people leave
 * these out. Marks that make another letter of it stay, such as the vowels of Devanagari.
 */
import anyAscii from 'any-ascii';
import { withoutInvisible } from '../http/invisible.ts';

/** Marks of scripts that are read without them. */
const accents = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu;
const apostrophes = /['’‘ʼ´`＇]/g;
/** Letters that no mark makes: ß, ł, ø, æ, ı. */
const otherLetters = /(?!\p{ASCII})\p{Script=Latin}/gu;

/**
 * @param apostrophe in place of each: nothing, or a space between the words that it joins
 * @returns the text in small letters, composed
 */
export function foldText(text: string, apostrophe: '' | ' ' = ''): string {
  const parts = text.replaceAll(apostrophes, apostrophe).normalize('NFKD');
  const bare = parts.replaceAll(accents, '$1').normalize('NFKC');
  return bare.replaceAll(otherLetters, (letter) => anyAscii(letter)).toLowerCase();
}

/** Text as it is compared where only case, width and what nobody sees do not matter, such as SKUs. */
export function foldCase(text: string): string {
  return withoutInvisible(text).normalize('NFKC').trim().toLowerCase();
}
