/**
 * Computes taxes of amounts exactly. Each is rounded once, by the rule of the store, and the parts always add up.
 */
import { allocate, allocateByFirst, divideRounded, hundredPercent, type Rounding, scalePercent } from '@carton/runtime';
import type { ApplicableRate } from '../rates/applicable.ts';

/** An amount to tax: a line, or a part of a shipping charge. */
export interface Taxable {
  /** Minor units after discounts, zero or above; with `included`, the taxes are part of it. */
  readonly amount: number;
  /** Units; omitted for a shipping charge. */
  readonly quantity?: number;
  /** All that apply. */
  readonly rates: readonly ApplicableRate[];
  /** Whether the amount contains its taxes, in place of the rule of the sale. */
  readonly included?: boolean;
}

/** What is rounded: the tax of each unit, of each line or charge, or of the sale. */
export const roundPer = ['unit', 'line', 'total'] as const;
type RoundPer = (typeof roundPer)[number];

export interface TaxRules {
  /** The amounts contain their taxes, but for those that say otherwise. */
  readonly included: boolean;
  readonly roundPer: RoundPer;
  readonly rounding: Rounding;
}

/** The denominator of weights: a compound rate is a product of two fractions. */
const unit = hundredPercent * hundredPercent;

const sum = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n);
const total = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/**
 * The tax at each rate on a net amount of `unit`. A compound rate also applies to the taxes at the rates that are not
 * compound, before rounding.
 */
function weightsOf(rates: readonly ApplicableRate[]): bigint[] {
  const simple = sum(rates.filter(({ compound }) => !compound).map(({ rate }) => scalePercent(rate)));
  return rates.map(({ rate, compound }) => scalePercent(rate) * (compound ? hundredPercent + simple : hundredPercent));
}

/**
 * Computes the taxes of amounts.
 * @returns for each amount, the tax at each of its rates, in minor units
 */
export function taxesOf(taxables: readonly Taxable[], { included, roundPer, rounding }: TaxRules): number[][] {
  const isWithin = (each: Taxable) => each.included ?? included;
  if (roundPer === 'total') {
    const within = withinTotal(taxables.filter(isWithin), rounding).values();
    const onTop = onTopOfTotal(
      taxables.filter((each) => !isWithin(each)),
      rounding,
    ).values();
    return taxables.map((each) => (isWithin(each) ? within : onTop).next().value as number[]);
  }
  const taxOf = (each: Taxable) =>
    isWithin(each) ? (splitWithin([each], rounding)[0] as number[]) : onTop(each, rounding);
  return taxables.map((each) => (roundPer === 'unit' ? perUnit(each, taxOf) : taxOf(each)));
}

/**
 * The tax of one unit, times the units. What a line costs after discounts is divided among its units by largest remainder,
 * so some of them may cost a minor unit more than the others: each has the tax of its own price.
 */
function perUnit({ amount, quantity = 1, ...rest }: Taxable, taxOf: (unit: Taxable) => number[]): number[] {
  const dearer = amount % quantity;
  const price = (amount - dearer) / quantity;
  const [taxes, ofDearer] = [taxOf({ amount: price, ...rest }), taxOf({ amount: price + 1, ...rest })];
  return taxes.map((tax, at) => tax * (quantity - dearer) + (ofDearer[at] as number) * dearer);
}

/** Each tax is rounded by itself. */
function onTop({ amount, rates }: Taxable, rounding: Rounding): number[] {
  return weightsOf(rates).map((weight) => divideRounded(BigInt(amount) * weight, unit, rounding));
}

/** Each tax is rounded once for all amounts, then divided among them. */
function onTopOfTotal(taxables: readonly Taxable[], rounding: Rounding): number[][] {
  const exact = taxables.map(({ amount, rates }) => weightsOf(rates).map((weight) => BigInt(amount) * weight));
  const taxes = exact.map((row) => row.map(() => 0));
  const places = taxables.flatMap(({ rates }, row) => rates.map(({ id }, column) => ({ id, row, column })));
  for (const placesOfRate of Map.groupBy(places, ({ id }) => id).values()) {
    const weights = placesOfRate.map(({ row, column }) => exact[row]?.[column] as bigint);
    const shares = allocate(divideRounded(sum(weights), unit, rounding), weights);
    for (const [at, { row, column }] of placesOfRate.entries()) (taxes[row] as number[])[column] = shares[at] as number;
  }
  return taxes;
}

/** Amounts with the same rates are rounded together. */
function withinTotal(taxables: readonly Taxable[], rounding: Rounding): number[][] {
  const taxes: number[][] = taxables.map(() => []);
  const numbered = taxables.map((taxable, at) => ({ taxable, at }));
  for (const group of Map.groupBy(numbered, ({ taxable }) => taxable.rates.map(({ id }) => id).join()).values()) {
    const own = group.map(({ taxable }) => taxable);
    const split = splitWithin(own, rounding);
    for (const [place, { at }] of group.entries()) taxes[at] = split[place] as number[];
  }
  return taxes;
}

/**
 * Extracts the taxes from amounts with the same rates: their sum is rounded once, and divided among the rates and among
 * the amounts. No tax exceeds its amount, because the shares of a sum of whole amounts do not.
 */
function splitWithin(taxables: readonly Taxable[], rounding: Rounding): number[][] {
  const amounts = taxables.map(({ amount }) => amount);
  const weights = weightsOf(taxables[0]?.rates ?? []);
  const combined = sum(weights);
  const tax = divideRounded(sum(amounts.map(BigInt)) * combined, unit + combined, rounding);
  const taxOfEach = allocate(tax, amounts);
  if (weights.length === 1) return taxOfEach.map((own) => [own]);
  let left = allocate(tax, weights);
  // What is left of each rate decides the shares of an amount, so that both sums agree at the end.
  return taxOfEach.map((own) => {
    const shares = allocate(own, left);
    left = left.map((rest, at) => rest - (shares[at] as number));
    return shares;
  });
}

/** What the division of a charge depends on, of a rate. Ids tell rates apart. */
type DividingRate = Pick<ApplicableRate, 'id' | 'rate'>;

/** A line whose taxes apply to a part of the shipping charges. */
export interface TaxableGoods<Rate extends DividingRate = ApplicableRate> {
  /** Minor units after discounts, zero or above. */
  readonly amount: number;
  /** Minor units before discounts. */
  readonly price: number;
  readonly quantity: number;
  /** All that apply. */
  readonly rates: readonly Rate[];
}

/**
 * Divides a shipping charge among the rates of the goods: in proportion to their amounts after discounts; if all goods are
 * free, to their prices before discounts; if these are zero, too, to their quantities. Does not depend on the order of the
 * goods: a unit that cannot be divided goes to the higher rate. Invoices divide a charge by it, too.
 * @returns parts that add up to the charge, those at the highest rates first
 */
export function partsOfCharge<Rate extends DividingRate>(
  charge: number,
  goods: readonly TaxableGoods<Rate>[],
): { amount: number; rates: readonly Rate[] }[] {
  const [first] = goods;
  if (first && goods.every(({ rates }) => rates === first.rates)) return [{ amount: charge, rates: first.rates }];
  const keyOf = (rates: readonly Rate[]) =>
    rates
      .map(({ id }) => id)
      .sort()
      .join();
  const groups = [...Map.groupBy(goods, ({ rates }) => keyOf(rates))]
    .map(([key, group]) => ({ key, group, rates: group[0]?.rates ?? [] }))
    .map((each) => ({ ...each, percent: sum(each.rates.map(({ rate }) => scalePercent(rate))) }))
    .toSorted((one, other) => Number(other.percent - one.percent) || (one.key < other.key ? -1 : 1));
  const weightsBy = (weightOf: (each: TaxableGoods<Rate>) => number) =>
    groups.map(({ group }) => total(group.map(weightOf)));
  const shares = allocateByFirst(
    charge,
    weightsBy(({ amount }) => amount),
    weightsBy(({ price }) => price),
    weightsBy(({ quantity }) => quantity),
  );
  return groups.map(({ rates }, at) => ({ amount: shares[at] as number, rates }));
}
