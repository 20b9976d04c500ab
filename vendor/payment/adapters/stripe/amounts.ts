/**
 * Amounts as Stripe counts them. Its smallest unit of a currency is not always the box's: it takes some currencies
 * whole (JPY), some in thousandths of which the last is zero (KWD), and all others in hundredths, also those that are
 * hardly ever divided (HUF, ISK, UGX). Source: https://docs.stripe.com/currencies
 */
import { type MoneyValue, minorUnitDigits } from '@carton/runtime';
import { paymentRefused } from '../../adapter.ts';

const whole = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const thousandths = 'BHD JOD KWD OMR TND'.split(' ');

function digitsOf(currency: string): number {
  if (whole.includes(currency)) return 0;
  return thousandths.includes(currency) ? 3 : 2;
}

/** @throws payment_refused (409) for what Stripe cannot take to the unit */
export function toStripe({ amount, currency }: MoneyValue): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  const shifted = shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift;
  const step = thousandths.includes(currency) ? 10 : 1;
  if (!Number.isSafeInteger(shifted) || shifted % step !== 0) {
    throw paymentRefused(`The provider takes no amount of ${currency} that is this exact.`);
  }
  return shifted;
}

/** What Stripe says, in the box's minor units; `currency` as the box writes it. */
export function fromStripe(amount: number, currency: string): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  return shift >= 0 ? Math.round(amount / 10 ** shift) : amount * 10 ** -shift;
}
