/**
 * Amounts as an order's timeline shows them.
 */
import { type MoneyValue, minorUnitDigits } from '@carton/runtime';

/** `19.99 EUR` */
export function format({ amount, currency }: MoneyValue): string {
  const digits = minorUnitDigits(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}
