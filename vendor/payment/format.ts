/**
 * Amounts and texts as an order's timeline shows them.
 */
import { type MoneyValue, minorUnitDigits } from '@carton/runtime';

/** `19.99 EUR` */
export function format({ amount, currency }: MoneyValue): string {
  const digits = minorUnitDigits(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** A text as it continues a sentence. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
