/**
 * Money: an integer number of minor units and an ISO 4217 currency. Fractions of a minor unit are never stored.
 */
import { object, Type } from '../http/schemas.ts';

/** `{ amount: 1999, currency: "EUR" }` is 19.99 euros. */
export const Money = object(
  {
    amount: Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, examples: [1999] }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] }),
  },
  { $id: 'Money', description: 'Whole minor units of an ISO 4217 currency' },
);

/** An amount in requests: whole minor units, from 0 to ten billion. */
export const Amount = Type.Integer({ minimum: 0, maximum: 10_000_000_000, examples: [1999] });

export interface MoneyValue {
  amount: number;
  currency: string;
}

export function money(amount: number, currency: string): MoneyValue {
  return { amount, currency };
}

/** 100 % as `scalePercent` returns it. */
export const hundredPercent = 10_000_000n;

/** A percentage as an integer, for exact arithmetic: in units of 0.00001 %. Further decimals are rounded. */
export function scalePercent(percent: number): bigint {
  return BigInt(Math.round(percent * 100_000));
}

/** How a fraction of a minor unit is rounded: a half away from zero or towards it, or any fraction towards zero. */
export const roundings = ['half_up', 'half_down', 'down'] as const;
export type Rounding = (typeof roundings)[number];

/**
 * A quotient in exact arithmetic, rounded to an integer, by default half away from zero.
 * @param denominator above zero
 */
export function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding = 'half_up'): number {
  const added = { half_up: denominator, half_down: denominator - 1n, down: 0n }[rounding];
  const rounded = Number((2n * absolute(numerator) + added) / (2n * denominator));
  return (numerator < 0n ? -rounded : rounded) || 0;
}

/**
 * A percentage of an amount, rounded: 19 % of 1999 is 380. Exact for the largest amounts.
 * @param percent not negative, with up to five decimals
 */
export function percentOf(amount: number, percent: number): number {
  return divideRounded(BigInt(amount) * scalePercent(percent), hundredPercent);
}

/** The part of a gross amount that is a percentage of its net amount: of 1999 at 19 %, 319 is tax. */
export function percentWithin(amount: number, percent: number): number {
  const scaled = scalePercent(percent);
  return divideRounded(BigInt(amount) * scaled, hundredPercent + scaled);
}

/**
 * Splits an amount in proportion to weights, so that the shares add up to the amount (largest remainder method). If all
 * weights are zero, the first share is the entire amount. Exact for weights of any size.
 */
export function allocate(amount: number, weights: readonly (number | bigint)[]): number[] {
  if (weights.length < 2) return weights.map(() => amount);
  const exactWeights = weights.map(BigInt);
  const total = exactWeights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map((_, index) => (index === 0 ? amount : 0));
  const products = exactWeights.map((weight) => BigInt(amount) * weight);
  const shares = products.map((product) => Number(product / total));
  const remainders = products.map((product, index) => ({ index, left: absolute(product % total) }));
  let rest = amount - shares.reduce((sum, share) => sum + share, 0);
  const step = Math.sign(rest);
  for (const { index } of remainders.sort((a, b) => compare(b.left, a.left) || a.index - b.index)) {
    if (rest === 0) break;
    shares[index] = (shares[index] as number) + step;
    rest -= step;
  }
  return shares;
}

/**
 * Splits an amount as `allocate` does, by the first weights that are not all zero: a charge by the prices of goods or, if
 * all of them are free, by their quantities.
 */
export function allocateByFirst(amount: number, ...alternatives: (readonly (number | bigint)[])[]): number[] {
  const usable = alternatives.find((weights) => weights.some((weight) => BigInt(weight) !== 0n));
  return allocate(amount, usable ?? alternatives[0] ?? []);
}

const absolute = (value: bigint) => (value < 0n ? -value : value);
const compare = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));
