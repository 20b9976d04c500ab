/**
 * What postal codes of a country begin with: whether a text is a code whose end is missing.
 */
import { POSTCODE_REGEXES } from 'postcode-validator/lib/cjs/postcode-regexes.js';
import { rulesOfAddresses } from './address-rules.ts';
import { otherCodes } from './postal-codes.ts';

/** The parts of a regular expression: a set of characters, one of them, what groups and repeats them. */
const parts = /\[(?:\\.|[^\]])*\]|\\.|\(\?[=!][^)]*\)|\((?:\?:)?|\{[\d,]+\}|./g;
const separator = /^(?:\[(?:\\?[ -])+\]|\\?[ -]|\\s)$/;
const structure = /^(?:\((?:\?:)?|\(\?[=!].*\)|[)|?*+]|\{.*\})$/;

/**
 * The expression for beginnings of what an expression takes, without spaces and hyphens: each character is there, or
 * the text is at its end.
 */
function beginningsOf(source: string): RegExp {
  const written: string[] = [];
  let isLeftOut = false;
  for (const [part] of source.matchAll(parts)) {
    const isRepeated = /^(?:[?*+]|\{.*\})$/.test(part);
    if (isRepeated && isLeftOut) continue;
    isLeftOut = separator.test(part);
    if (isLeftOut || part === '^' || part === '$') continue;
    written.push(structure.test(part) ? part : `(?:${part}|$)`);
  }
  return new RegExp(`^(?:${written.join('')})$`);
}

const known = new Map<string, readonly RegExp[]>();

/** The expressions of all sources of the codes of a country; empty if its codes are not known. */
function expressionsOf(country: string): readonly RegExp[] {
  const made = known.get(country);
  if (made) return made;
  const listed = [...POSTCODE_REGEXES].find(([code]) => code === country)?.[1].source;
  const sources = [listed, rulesOfAddresses[country]?.postalCode, otherCodes[country]?.source];
  const expressions = sources.flatMap((source) => (source === undefined ? [] : beginningsOf(source)));
  known.set(country, expressions);
  return expressions;
}

/**
 * Whether postal codes of a country begin with a text, without the code of the country before it. Where codes are not
 * known, any do.
 * @param country ISO 3166-1 alpha-2
 * @param beginning letters and digits, without spaces and hyphens
 */
export function isPostalBeginning(country: string, beginning: string): boolean {
  const expressions = expressionsOf(country);
  if (expressions.length === 0) return true;
  // In Andorra, 500 is AD500.
  return expressions.some((each) => each.test(beginning) || each.test(country + beginning));
}
