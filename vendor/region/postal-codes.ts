/**
 * Patterns of postal codes: one code (`10115`), a prefix (`EC1*`), or a range of codes, or of what they begin with, in as
 * many digits (`10000-19999`). Spaces, hyphens within codes, the country before them and case do not matter.
 *
 * British codes are the exception: what is before their last three characters has two to four, so that only the space says
 * whether KW1 5EA is in `KW15*`. They and their patterns are compared with it. Rows have the bounds of a pattern without
 * it, as all releases write them, and are read for both.
 */
import { dividedCode, invalidField, isPostalBeginning, isPostalCode, postalForms } from '@carton/runtime';
import { hasCodeInRange, plainPattern } from './written-ranges.ts';

interface CodePattern {
  readonly kind: 'code' | 'prefix';
  readonly code: string;
}
interface RangePattern {
  readonly kind: 'range';
  readonly from: string;
  readonly to: string;
}
export type PostalPattern = CodePattern | RangePattern;

/** Of a code in the United States the first five digits count (ZIP+4). */
const countedOf = (country: string, form: string) => (country === 'US' ? form.slice(0, 5) : form);

/** The forms by which a postal code is looked up (`isWithinBounds`): without the country before it first. */
export function postalLookups(country: string, postalCode: string): string[] {
  return postalForms(country, postalCode).map((form) => countedOf(country, form));
}

/** The forms in which a postal code is compared with patterns, in the same order. */
export function postalKeys(country: string, postalCode: string): string[] {
  return postalLookups(country, postalCode).map((form) => dividedCode(country, form));
}

/**
 * Parses a pattern of a country; null if it is none. A hyphen makes a range if as many digits are on both sides. The space
 * of a British pattern counts where what is before it may be the first part of a code.
 */
export function parsePostalPattern(country: string, text: string): PostalPattern | null {
  const written = text.normalize('NFKC').toUpperCase();
  const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(written.replaceAll(/\s/g, '')) ?? [];
  if (from !== '' && from.length === to.length) return from <= to ? { kind: 'range', from, to } : null;
  const [, code, star] = /^([A-Z0-9]+ ?[A-Z0-9]*)(\*?)$/.exec(dividedCode(country, written).replaceAll('-', '')) ?? [];
  return code === undefined ? null : { kind: star ? 'prefix' : 'code', code };
}

/** Of a code, what counts: a code of nine digits is that of its first five in the United States. */
function countedPattern(country: string, pattern: PostalPattern | null): PostalPattern | null {
  return pattern?.kind === 'code' && isPostalCode(country, pattern.code)
    ? { ...pattern, code: countedOf(country, pattern.code) }
    : pattern;
}

/**
 * The pattern of a country, in its stored form.
 * @param pointer to the pattern in the body
 * @throws invalid_request (400) for what is no pattern, or one that no postal code of the country matches
 */
export function checkedPattern(country: string, text: string, pointer: string): string {
  const pattern = countedPattern(country, parsePostalPattern(country, plainPattern(country, text)));
  if (!pattern) throw invalidField(pointer, 'must be a code, a prefix (EC1*) or a range (10000-19999)');
  if (!hasMatch(country, pattern)) throw invalidField(pointer, 'matches no postal code of the country');
  return postalPatternText(pattern);
}

/** Whether a code of the country matches. Beginnings with letters are not checked. */
function hasMatch(country: string, pattern: PostalPattern): boolean {
  if (pattern.kind === 'code') return isPostalCode(country, pattern.code);
  if (pattern.kind === 'range') return hasCodeInRange(country, pattern);
  if (countedOf(country, pattern.code) !== pattern.code) return false;
  return !/^\d+$/.test(pattern.code) || isPostalBeginning(country, pattern.code);
}

/** The pattern in its stored form, which `parsePostalPattern` parses. */
export function postalPatternText(pattern: PostalPattern): string {
  if (pattern.kind === 'range') return `${pattern.from}-${pattern.to}`;
  return pattern.kind === 'prefix' ? `${pattern.code}*` : pattern.code;
}

/** Bounds, in the order of code points, of what all codes that match begin with; others may be between them, too. */
export function postalBounds(pattern: PostalPattern): { from: string; to: string } {
  if (pattern.kind === 'range') return { from: pattern.from, to: pattern.to };
  const code = pattern.code.replace(' ', '');
  return { from: code, to: pattern.kind === 'prefix' ? `${code}~` : code };
}

/** The stored forms of a pattern: that of this release, and that of earlier ones, which had no space. */
export function storedPatterns(text: string): string[] {
  return [...new Set([text, text.replaceAll(' ', '')])];
}

/**
 * SQL for whether a key may match the pattern of a row, by the bounds that are stored for it. The upper one of a range is
 * the beginning of longer codes.
 */
export const isWithinBounds = (table: string, key: string) =>
  `${key} >= ${table}.postal_from and ${key} <= ${table}.postal_to || '~'`;

/** @param key one that `postalKeys` returns */
export function matchesPostal(pattern: PostalPattern, key: string): boolean {
  if (pattern.kind === 'range') {
    const { from, to } = pattern;
    const beginning = key.slice(0, from.length);
    return beginning.length === from.length && /^\d+$/.test(beginning) && beginning >= from && beginning <= to;
  }
  return pattern.kind === 'code' ? key === pattern.code : key.startsWith(pattern.code);
}

/** How many codes of this length match: the fewer, the more specific is the pattern. A single code is below any other. */
export function breadthOf(pattern: PostalPattern, length: number): number {
  if (pattern.kind === 'code') return 0;
  const { from, to } = beginningsOf(pattern);
  const beginnings = pattern.kind === 'range' ? Number(to) - Number(from) + 1 : 1;
  return beginnings * 10 ** (length - from.length);
}

/** What the keys that match begin with. */
function beginningsOf(pattern: PostalPattern): { from: string; to: string } {
  return pattern.kind === 'range' ? pattern : { from: pattern.code, to: pattern.code };
}

/** Whether there are postal codes for which neither pattern is more specific. */
export function areAmbiguous(one: PostalPattern, other: PostalPattern): boolean {
  if (one.kind === 'code' || other.kind === 'code') return one.kind === other.kind && haveSameText(one, other);
  if (one.kind === 'prefix' && other.kind === 'prefix') return haveSameText(one, other);
  const [a, b] = [beginningsOf(one), beginningsOf(other)];
  if (![a, b].every(({ from }) => /^\d+$/.test(from))) return false;
  const length = Math.max(a.from.length, b.from.length);
  return haveSameBreadth(padded(a, length), padded(b, length));
}

const haveSameText = (one: PostalPattern, other: PostalPattern) => postalPatternText(one) === postalPatternText(other);

const padded = ({ from, to }: { from: string; to: string }, length: number) => ({
  from: from.padEnd(length, '0'),
  to: to.padEnd(length, '9'),
});

/** Whether two ranges of codes of the same length overlap and have as many codes. */
function haveSameBreadth(one: { from: string; to: string }, other: { from: string; to: string }): boolean {
  if (one.from > other.to || other.from > one.to) return false;
  return Number(one.to) - Number(one.from) === Number(other.to) - Number(other.from);
}
