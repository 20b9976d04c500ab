/**
 * What an exemption takes off a charge that is added to an exempt order: the taxes that its price contains, as for its other
 * prices when it was placed, so that the buyer pays the net price.
 *
 * The order has no taxes to tell its rates by. They are those of its address now, of the tax categories by which the exemption
 * has taken off the prices of goods what it took. Where these contain no tax, the charge has the share that was taken off
 * shipping charges; without such a charge, the rates of the default category.
 */
import type { ChargedOrder } from '@carton/order';
import { divideRounded } from '@carton/runtime';
import { type ApplicableRate, ratesOf } from '../rates/applicable.ts';
import { partsOfCharge, type Taxable, type TaxRules, taxesOf } from './compute.ts';

type Rounding = TaxRules['rounding'];
type Priced = Pick<ChargedOrder['lines'][number], 'amount' | 'takenOff'>;

export interface ExemptRules {
  /** Those of the order's address. */
  rates: readonly ApplicableRate[];
  rounding: Rounding;
  /** The tax category of shipping charges; undefined to tax them in proportion to the goods. */
  category: string | undefined;
}

/** The taxes in the price of a charge, in minor units. */
export function taxesWithin(order: ChargedOrder, amount: number, rules: ExemptRules): number {
  const { rates, rounding, category } = rules;
  if (category !== undefined) return taxIn([{ amount, rates: ratesOf(rates, category) }], rounding);
  const sets = [null, ...new Set(rates.flatMap((rate) => rate.category ?? []))].map((each) => ratesOf(rates, each));
  const isWithin = order.lines.some(({ takenOff }) => takenOff > 0);
  const other = isWithin ? undefined : order.shipping.find(({ takenOff }) => takenOff > 0);
  if (other) {
    const applied = setOf(sets, other, rounding);
    return applied ? taxIn([{ amount, rates: applied }], rounding) : (share(amount, order.shipping) as number);
  }
  const known = order.lines.flatMap((line) => {
    const applied = isWithin ? setOf(sets, line, rounding) : sets[0];
    return applied ? [{ amount: grossOf(line), price: line.price, quantity: line.quantity, rates: applied }] : [];
  });
  if (known.length === order.lines.length) return taxIn(partsOfCharge(amount, known), rounding);
  return share(amount, [...order.lines, ...order.shipping]) ?? 0;
}

/** A price with its taxes. */
const grossOf = ({ amount, takenOff }: Priced) => amount + takenOff;

function taxIn(taxables: readonly Taxable[], rounding: Rounding): number {
  const rules = { included: true, roundPer: 'line', rounding } as const;
  return taxesOf(taxables, rules)
    .flat()
    .reduce((sum, tax) => sum + tax, 0);
}

/** The rates whose taxes in a price are what was taken off it, to a minor unit; the nearest. */
function setOf(sets: readonly ApplicableRate[][], line: Priced, rounding: Rounding): ApplicableRate[] | undefined {
  const near = sets
    .map((rates) => ({ rates, by: Math.abs(taxIn([{ amount: grossOf(line), rates }], rounding) - line.takenOff) }))
    .filter(({ by }) => by <= 1);
  return near.sort((one, other) => one.by - other.by)[0]?.rates;
}

/** The part of an amount that was taken off these prices; undefined if nothing was. */
function share(amount: number, prices: readonly Priced[]): number | undefined {
  const sum = (of: (each: Priced) => number) => prices.reduce((all, each) => all + of(each), 0);
  const [taken, gross] = [sum(({ takenOff }) => takenOff), sum(grossOf)];
  return taken === 0 ? undefined : divideRounded(BigInt(amount) * BigInt(taken), BigInt(gross));
}
