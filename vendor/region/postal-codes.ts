/**
 * Patterns of postal codes: one code (`10115`), a prefix (`EC1*`), or a range of codes with as many digits
 * (`10000-19999`). Spaces, hyphens within codes and case do not matter.
 */

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

/**
 * The form in which postal codes are compared: letters in upper case and digits. Of a code in the United States the first
 * five digits count (ZIP+4).
 */
export function postalKey(country: string, postalCode: string): string {
  const key = postalCode
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '');
  return country === 'US' ? key.slice(0, 5) : key;
}

/** Parses a pattern; null if it is none. A hyphen makes a range if as many digits are on both sides. */
export function parsePostalPattern(text: string): PostalPattern | null {
  const compact = text.normalize('NFKC').toUpperCase().replaceAll(/\s/g, '');
  const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(compact) ?? [];
  if (from !== '' && from.length === to.length) return from <= to ? { kind: 'range', from, to } : null;
  const [, code, star] = /^([A-Z0-9]+)(\*?)$/.exec(compact.replaceAll('-', '')) ?? [];
  return code === undefined ? null : { kind: star ? 'prefix' : 'code', code };
}

/** The pattern in its stored form, which `parsePostalPattern` parses. */
export function postalPatternText(pattern: PostalPattern): string {
  if (pattern.kind === 'range') return `${pattern.from}-${pattern.to}`;
  return pattern.kind === 'prefix' ? `${pattern.code}*` : pattern.code;
}

/** Bounds, in the order of code points, of all keys that match; other keys may be between them, too. */
export function postalBounds(pattern: PostalPattern): { from: string; to: string } {
  if (pattern.kind === 'range') return { from: pattern.from, to: pattern.to };
  return { from: pattern.code, to: pattern.kind === 'prefix' ? `${pattern.code}~` : pattern.code };
}

/** @param key as `postalKey` returns it */
export function matchesPostal(pattern: PostalPattern, key: string): boolean {
  if (pattern.kind === 'range') {
    const { from, to } = pattern;
    return key.length === from.length && /^\d+$/.test(key) && key >= from && key <= to;
  }
  return pattern.kind === 'code' ? key === pattern.code : key.startsWith(pattern.code);
}

/** How many codes of this length match: the fewer, the more specific is the pattern. A single code is below any other. */
export function breadthOf(pattern: PostalPattern, length: number): number {
  if (pattern.kind === 'code') return 0;
  if (pattern.kind === 'range') return Number(pattern.to) - Number(pattern.from) + 1;
  return 10 ** (length - pattern.code.length);
}

/** Whether there are postal codes for which neither pattern is more specific. */
export function areAmbiguous(one: PostalPattern, other: PostalPattern): boolean {
  if (one.kind === 'range' && other.kind === 'range') return haveSameBreadth(one, other);
  if (one.kind === 'range') return other.kind === 'prefix' && areAmbiguous(other, one);
  if (other.kind !== 'range') return one.kind === other.kind && one.code === other.code;
  const rest = other.from.length - one.code.length;
  if (one.kind !== 'prefix' || rest < 0 || !/^\d+$/.test(one.code)) return false;
  return haveSameBreadth({ from: one.code + '0'.repeat(rest), to: one.code + '9'.repeat(rest) }, other);
}

/** Whether two ranges of codes of the same length overlap and have as many codes. */
function haveSameBreadth(one: { from: string; to: string }, other: { from: string; to: string }): boolean {
  if (one.from.length !== other.from.length || one.from > other.to || other.from > one.to) return false;
  return Number(one.to) - Number(one.from) === Number(other.to) - Number(other.from);
}
