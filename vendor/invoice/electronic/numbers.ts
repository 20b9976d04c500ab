/**
 * Numbers as XML writes them: decimal, without an exponent.
 */
import { minorUnitDigits } from '@carton/runtime';

/** Writes minor units of a currency as a decimal number: `-0.05` for -5 of one with two digits. Exact. */
export function decimalIn(currency: string): (amount: number) => string {
  const digits = minorUnitDigits(currency);
  return (amount) => {
    const units = String(Math.abs(amount)).padStart(digits + 1, '0');
    const whole = units.slice(0, units.length - digits);
    return `${amount < 0 ? '-' : ''}${whole}${digits > 0 ? `.${units.slice(-digits)}` : ''}`;
  };
}

/** A rate in per cent, which has five decimals at most: `9.975`. */
export const rateOf = (rate: number): string => String(Number(rate.toFixed(5)));
