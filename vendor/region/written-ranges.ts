/**
 * Ranges of postal codes as they are written: with hyphens within the codes, and with the country before each.
 */
import { isPostalBeginning, postalForms, withoutPostalCountry } from '@carton/runtime';

/** The digits of a code of a range, without the country before it; null if it has letters. */
function digitsOf(country: string, text: string): string | null {
  const [code = ''] = postalForms(country, text);
  return /^\d+$/.test(code) ? code : null;
}

/** Both ends of a range: as many digits are on both sides of one of the hyphens. Null for what is no range. */
function endsOf(country: string, text: string): [from: string, to: string] | null {
  const written = text.normalize('NFKC').replaceAll(/[\u2010-\u2015\u2212]/g, '-');
  for (const { index } of written.matchAll(/-/g)) {
    const [from, to] = [written.slice(0, index), written.slice(index + 1)].map((side) => digitsOf(country, side));
    if (from && to && from.length === to.length) return [from, to];
  }
  return null;
}

/** How many digits of a code of the United States count. */
const zipLength = 5;

/** A pattern without the country before it, a range without what its codes have between their digits. */
export function plainPattern(country: string, text: string): string {
  const ends = endsOf(country, text);
  if (ends === null) return withoutPostalCountry(country, text);
  return ends.map((end) => (country === 'US' && end.length === 9 ? end.slice(0, zipLength) : end)).join('-');
}

/** How many beginnings are looked at for a range: enough for all digits of a code, where codes begin with few of them. */
const maxBeginnings = 2000;

/** Whether a postal code of the country begins with one of the numbers from one to the other, of as many digits. */
export function hasCodeInRange(country: string, { from, to }: { from: string; to: string }): boolean {
  if (country === 'US' && from.length > zipLength) return false;
  let left = maxBeginnings;
  const isFound = (beginning: string): boolean => {
    if (beginning !== '' && (left-- <= 0 || !isPostalBeginning(country, beginning))) return false;
    if (beginning.length === from.length) return true;
    return Array.from('0123456789', (digit) => beginning + digit).some(
      (each) => each >= from.slice(0, each.length) && each <= to.slice(0, each.length) && isFound(each),
    );
  };
  return isFound('');
}
