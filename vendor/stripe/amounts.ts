/**
 * Amounts in Stripe's units, which differ from ISO 4217 for some currencies: Stripe takes some without decimals (JPY),
 * some with three of which the last must be zero (KWD), and all others with two, even where minor units are no longer
 * used (HUF, ISK, UGX). Source: https://docs.stripe.com/currencies
 */
import { formatAmount, paymentRefused } from '@carton/payment';
import { type MoneyValue, minorUnitDigits, money } from '@carton/runtime';

const zeroDecimal = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const threeDecimal = 'BHD JOD KWD OMR TND'.split(' ');

/** The least that Stripe charges, in the box's minor units. Of other currencies it depends on the account, and Stripe decides. */
const minimum: Readonly<Record<string, number>> = {
  ...{ AED: 200, AUD: 50, BRL: 50, CAD: 50, CHF: 50, CZK: 1500, DKK: 250, EUR: 50, GBP: 30, HKD: 400, HUF: 17_500 },
  ...{ INR: 50, JPY: 50, MXN: 1000, MYR: 200, NOK: 300, NZD: 50, PLN: 200, RON: 200, SEK: 300, SGD: 50, THB: 1000 },
  USD: 50,
};

/** The most that Stripe charges, in its units: eight digits. */
const maximum = 99_999_999;
/** Currencies in which amounts may have more digits: Stripe decides. */
const withMoreDigits = 'COP HUF IDR INR JPY LBP'.split(' ');

function digitsOf(currency: string): number {
  if (zeroDecimal.includes(currency)) return 0;
  return threeDecimal.includes(currency) ? 3 : 2;
}

/**
 * The smallest amount, in the box's minor units, of which Stripe takes multiples. Of ISK and UGX it takes multiples of 100 of
 * its own units, which are whole minor units of the box.
 */
export function stepOf(currency: string): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  return 10 ** Math.max(0, -shift) * (threeDecimal.includes(currency) ? 10 : 1);
}

/** Why Stripe cannot move an amount, as `PaymentAdapter.refusalOf` describes; null if it can. */
export function refusalOf({ amount, currency }: MoneyValue, use: 'charge' | 'part'): string | null {
  const step = stepOf(currency);
  if (amount % step !== 0) return `The provider takes multiples of ${formatAmount(money(step, currency))} only.`;
  if (use === 'part') return null;
  const least = minimum[currency] ?? 0;
  if (amount < least) return `The provider charges no less than ${formatAmount(money(least, currency))}.`;
  const most = fromStripe(maximum, currency);
  if (amount <= most || withMoreDigits.includes(currency)) return null;
  return `The provider charges no more than ${formatAmount(money(most - (most % step), currency))}.`;
}

function unitsOf({ amount, currency }: MoneyValue): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  return shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift;
}

/** The box's minor units in Stripe's units. @throws payment_refused (409) for an amount that Stripe cannot represent */
export function toStripe({ amount, currency }: MoneyValue): number {
  const converted = unitsOf({ amount, currency });
  if (!Number.isSafeInteger(converted) || amount % stepOf(currency) !== 0) {
    throw paymentRefused(`The provider cannot charge this amount of ${currency} exactly.`);
  }
  return converted;
}

/** Stripe's units in the box's minor units; `currency` in upper case. */
export function fromStripe(amount: number, currency: string): number {
  const shift = digitsOf(currency) - minorUnitDigits(currency);
  return shift >= 0 ? Math.round(amount / 10 ** shift) : amount * 10 ** -shift;
}
