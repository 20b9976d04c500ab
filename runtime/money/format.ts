/**
 * Amounts as people read them.
 */
import { numberFormat } from '../intl/formats.ts';
import { minorUnitDigits } from './minor-units.ts';
import type { MoneyValue } from './money.ts';

/**
 * An amount in a language: `1.999,00 €` in German. Exact for the largest amounts, with the decimals of the currency.
 * @param locale BCP 47
 */
export function formatMoney({ amount, currency }: MoneyValue, locale: string): string {
  const digits = minorUnitDigits(currency);
  const format = numberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // A decimal string is formatted exactly, a fraction of a large number is not.
  return format.format(decimalOf(amount, digits) as Intl.StringNumericLiteral);
}

/** An integer number of minor units as a decimal number: `-0.05` for -5 and two digits. */
function decimalOf(amount: number, digits: number): string {
  const units = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = units.slice(0, units.length - digits);
  return `${amount < 0 ? '-' : ''}${whole}${digits > 0 ? `.${units.slice(-digits)}` : ''}`;
}
