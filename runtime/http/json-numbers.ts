/**
 * Numbers in JSON that JavaScript changes as it reads them, such as the id 12345678901234567890 of another system, which
 * becomes 12345678901234567000, or 1e400, which becomes infinite.
 */
import type { BodyFault } from './body-fault.ts';

/** Text with fewer digits than any such number. Most bodies have no more, and need no second look. */
const suspicious = /[\d.]{16}|[eE][+-]?\d{3}/;

/** A string, or a number, as JSON writes it; strings so that nothing within them is taken for a number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** The digits of a decimal number without leading and trailing zeros, and the exponent of the first. */
function normalized(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  if (digits === '') return '0';
  const first = Number(exponent) + whole.length - (all.length - digits.length);
  return `${sign}${digits.replace(/0+$/, '')}e${first}`;
}

function isChanged(number: string): boolean {
  const read = Number(number);
  return !Number.isFinite(read) || normalized(number) !== normalized(String(read));
}

/** The names that lead to a number in a value. */
function pathTo(wanted: number, value: unknown): string[] | null {
  if (value === wanted) return [];
  if (value === null || typeof value !== 'object') return null;
  for (const [name, child] of Object.entries(value)) {
    const path = pathTo(wanted, child);
    if (path) return [name, ...path];
  }
  return null;
}

/**
 * Finds the first number of a JSON text that its value does not keep.
 * @param value of limited depth
 * @returns the names that lead to it, and what is wrong; null if there is none
 */
export function changedNumber(text: string, value: unknown): BodyFault | null {
  if (!suspicious.test(text)) return null;
  for (const [token] of text.matchAll(tokens)) {
    if (token.startsWith('"') || !suspicious.test(token) || !isChanged(token)) continue;
    const shown = token.length > 40 ? `${token.slice(0, 40)}…` : token;
    const detail = `must be a number that JavaScript keeps, unlike ${shown}: send it as a text`;
    return { path: pathTo(Number(token), value) ?? [], detail };
  }
  return null;
}
