/**
 * Amounts in Stripe's units, which differ from ISO 4217 for some currencies: Stripe takes some without decimals (JPY),
 * some with three of which the last must be zero (KWD), and all others with two, even where minor units are no longer
 * used (HUF, ISK, UGX). Source: https://docs.stripe.com/currencies
 */
import { type MoneyValue, minorUnitDigits } from '@carton/runtime';
import { paymentRefused } from '../../adapter.ts';

const zeroDecimal = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const threeDecimal = 'BHD JOD KWD OMR TND'.split(' ');

function digitsOf(currency: string): number {
  if (zeroDecimal.includes(currency)) return 0;
  return threeDecimal.includes(currency) ? 3 : 2;
}

/** The box's minor units in Stripe's units. @throws payment_refused (409) for an amount that Stripe cannot represent */
export function toStripe({ amount, currency }: MoneyValue): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  const converted = shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift;
  const step = threeDecimal.includes(currency) ? 10 : 1;
  if (!Number.isSafeInteger(converted) || converted % step !== 0) {
    throw paymentRefused(`The provider cannot charge this amount of ${currency} exactly.`);
  }
  return converted;
}

/** Stripe's units in the box's minor units; `currency` in upper case. */
export function fromStripe(amount: number, currency: string): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  return shift >= 0 ? Math.round(amount / 10 ** shift) : amount * 10 ** -shift;
}
