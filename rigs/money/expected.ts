/**
 * What discounts, shipping charges and taxes of a sale must be, computed a second time by plain formulas.
 */
import type { Adjustment, TotalsDraft, TotalsLine } from '@carton/cart';
import { type ApplicableRate, ratesOf } from '../../vendor/tax/rates/applicable.ts';
import { hold } from './check.ts';
import type { Scenario } from './scenario.ts';

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** 100 % in units of 0.00001 %. */
const hundred = 10_000_000n;
const scaled = (rates: readonly { rate: number }[]) =>
  rates.reduce((sum, { rate }) => sum + BigInt(Math.round(rate * 100_000)), 0n);
const halfUp = (numerator: bigint, denominator: bigint) => Number((2n * numerator + denominator) / (2n * denominator));

function equal(what: string, actual: number, expected: number): void {
  hold(actual === expected, () => `${what} is ${actual}, not ${expected}`);
}

/** @throws Error if discounts, charges or taxes are not as expected */
export function checkExpected(scenario: Scenario, draft: TotalsDraft): void {
  checkDiscounts(scenario, draft);
  checkShipping(scenario, draft);
  if (scenario.roundPer === 'line') checkLineTaxes(scenario, draft);
  else if (draft.shipping.every(({ discountedAmount }) => discountedAmount === 0)) checkTotalTaxes(scenario, draft);
}

/** Percentages and fixed amounts are exact in sum, and divided in proportion to what earlier promotions have left. */
function checkDiscounts({ promotions, currency, lines }: Scenario, { adjustments }: TotalsDraft): void {
  const left = new Map(lines.map(({ id, total }) => [id, total]));
  const ofGoods = adjustments.filter(({ kind, lineId }) => kind === 'discount' && lineId !== undefined);
  for (const [id, own] of Map.groupBy(ofGoods, ({ source }) => source?.id)) {
    const promotion = promotions.find((each) => each.promotion?.id === id)?.promotion;
    if (!promotion) throw new Error(`the discount of ${id} has no promotion`);
    const { discount, rules } = promotion;
    const isTarget = (line: TotalsLine) => rules.appliesTo === 'all' || meets(rules.conditions, line);
    const amounts = new Map(lines.filter(isTarget).map((line) => [line.id, left.get(line.id) as number]));
    const base = sumOf([...amounts.values()]);
    const amount = sumOf(own.map((each) => -each.amount));
    if (discount.kind === 'percent') {
      const percent = [{ rate: discount.percent }];
      equal(`the discount of ${id}`, amount, halfUp(BigInt(base) * scaled(percent), hundred));
    }
    if (discount.kind === 'fixed') {
      const fixed = discount.amounts.find((each) => each.currency === currency)?.amount ?? 0;
      equal(`the discount of ${id}`, amount, Math.min(fixed, base));
    }
    for (const { lineId, amount: share } of own) {
      const before = left.get(lineId as string) as number;
      if (discount.kind === 'percent' || discount.kind === 'fixed') {
        const difference = BigInt(-share) * BigInt(base) - BigInt(amount) * BigInt(amounts.get(lineId as string) ?? 0);
        const size = difference < 0n ? -difference : difference;
        hold(size < BigInt(base), () => `${-share} of the discount ${amount} on ${lineId} is no proportional share`);
      }
      left.set(lineId as string, before + share);
    }
  }
}

function meets(conditions: readonly { argument: unknown }[], { id }: TotalsLine): boolean {
  return conditions.every(({ argument }) => (argument as { ids: string[] }).ids.includes(id));
}

/** Each chosen option that can be used charges the tier of its goods, or nothing from a price on; a payment its fee. */
function checkShipping({ shipping, payment, currency }: Scenario, { lines, adjustments }: TotalsDraft): void {
  const discounted = (line: TotalsLine) =>
    line.total +
    sumOf(adjustments.flatMap((each) => (each.lineId === line.id && each.kind === 'discount' ? each.amount : [])));
  const expected = shipping.chosen.flatMap(({ optionId }) => {
    const option = shipping.options.find(({ id }) => id === optionId);
    const goods = lines.filter(
      ({ shippingProfile }) => (shippingProfile === 'bulky' ? 'bulky' : null) === option?.profile,
    );
    if (!option || goods.length === 0 || option.zoneId === 'other zone') return [];
    const price = sumOf(goods.map(discounted));
    const weights = goods.map(({ weight, quantity }) => (weight ?? Number.NaN) * quantity);
    const value = { flat: 0, price, weight: sumOf(weights) }[option.type] ?? Number.NaN;
    const tier = option.rates.find(({ from, to }) => value >= from && (to === null || value < to));
    if (!tier) return [];
    const isFree = option.freeFrom.some((each) => each.currency === currency && price >= each.amount);
    return `${option.code} ${isFree ? 0 : tier.amount}`;
  });
  const isFeeOf = ({ code, shippingCode }: { code: string; shippingCode?: string | null }) =>
    `payment:${payment?.code}` === (shippingCode ?? code);
  // What is free without a fee is free by any method.
  const rest = adjustments.filter((each) => each.kind !== 'tax' && !isFeeOf(each));
  const isFree = sumOf(lines.map(({ total }) => total)) + sumOf(rest.map(({ amount }) => amount)) === 0;
  for (const { amount } of isFree ? [] : (payment?.fees ?? [])) expected.push(`payment:${payment?.code} ${amount}`);
  const actual = adjustments.flatMap(({ kind, code, amount }) => (kind === 'shipping' ? `${code} ${amount}` : []));
  hold(expected.toSorted().join() === actual.toSorted().join(), () => `shipping is ${actual}, not ${expected}`);
}

/** The exact tax at a rate on top of an amount, as a numerator over `hundred` squared. */
function exactOf(amount: number, rates: readonly ApplicableRate[], rate: ApplicableRate): bigint {
  const simple = scaled(rates.filter(({ compound }) => !compound));
  return BigInt(amount) * scaled([rate]) * (rate.compound ? hundred + simple : hundred);
}

/** The taxes within an amount: gross is net times (1 + simple rates) times (1 + compound rates). */
function exactWithin(amount: number, rates: readonly ApplicableRate[]): number {
  const [simple, compound] = [false, true].map((kind) => scaled(rates.filter((rate) => rate.compound === kind)));
  const gross = (hundred + (simple as bigint)) * (hundred + (compound as bigint));
  return halfUp(BigInt(amount) * (gross - hundred * hundred), gross);
}

const taxesOn = (adjustments: readonly Adjustment[], lineId: string) =>
  adjustments.filter((each) => each.kind === 'tax' && each.lineId === lineId);

/** Rounded for each line: exact for each rate on top, and in sum within. */
function checkLineTaxes({ rates, taxInclusive }: Scenario, { lines, adjustments }: TotalsDraft): void {
  for (const { id, discountedTotal, taxCategory } of lines) {
    const applied = ratesOf(rates, taxCategory);
    const own = taxesOn(adjustments, id);
    if (taxInclusive) {
      equal(`the tax of ${id}`, sumOf(own.map(({ amount }) => amount)), exactWithin(discountedTotal, applied));
    } else {
      for (const rate of applied) {
        const amounts = own.flatMap(({ source, amount }) => (source?.id === rate.id ? amount : []));
        equal(
          `the tax of ${id} at ${rate.id}`,
          sumOf(amounts),
          halfUp(exactOf(discountedTotal, applied, rate), hundred ** 2n),
        );
      }
    }
  }
}

/** Rounded for the total: exact for each rate on top, and for all lines with the same rates within. */
function checkTotalTaxes({ rates, taxInclusive }: Scenario, { lines, adjustments }: TotalsDraft): void {
  const keyOf = ({ taxCategory }: TotalsLine) =>
    ratesOf(rates, taxCategory)
      .map(({ id }) => id)
      .join();
  for (const group of taxInclusive ? Map.groupBy(lines, keyOf).values() : []) {
    const amount = sumOf(group.map(({ discountedTotal }) => discountedTotal));
    const own = group.flatMap(({ id }) => taxesOn(adjustments, id)).map((each) => each.amount);
    equal('the tax of a group', sumOf(own), exactWithin(amount, ratesOf(rates, (group[0] as TotalsLine).taxCategory)));
  }
  for (const rate of taxInclusive ? [] : rates) {
    let exact = 0n;
    for (const { discountedTotal, taxCategory } of lines) {
      const applied = ratesOf(rates, taxCategory);
      if (applied.includes(rate)) exact += exactOf(discountedTotal, applied, rate);
    }
    const own = adjustments.flatMap(({ kind, source, amount }) =>
      kind === 'tax' && source?.id === rate.id ? amount : [],
    );
    equal(`the tax at ${rate.id}`, sumOf(own), halfUp(exact, hundred ** 2n));
  }
}
