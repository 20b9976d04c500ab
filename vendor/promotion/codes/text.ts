/**
 * Codes as text: how they are stored, and how two of them are compared. Shoppers type codes as their keyboards write them.
 */
import { foldCapitals, withoutInvisible } from '@carton/runtime';

/** A code as it is stored: in the usual width, without what nobody sees. */
export function storedCode(code: string): string {
  return withoutInvisible(code).normalize('NFKC').trim();
}

const allowed = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u;

/** Whether a text may be a code, or the beginning of one. The usual width of a character may be others: `㎏` is `kg`. */
export function isCodeText(text: string, { min, max }: { min: number; max: number }): boolean {
  const code = storedCode(text);
  return allowed.test(code) && code.length >= min && code.length <= max;
}

/**
 * The form in which codes are compared. Of codes in ASCII letters it is the code in capitals, as earlier releases have
 * stored it.
 */
export const codeKey = foldCapitals;
