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

/** A quotient, rounded by its remainder. */
function rounded(numerator: bigint, denominator: bigint, rounding: Scenario['rounding']): number {
  const twice = 2n * (numerator % denominator);
  const isUp = rounding === 'half_up' ? twice >= denominator : rounding === 'half_down' && twice > denominator;
  return Number(numerator / denominator) + Number(isUp);
}

function equal(what: string, actual: number, expected: number): void {
  hold(actual === expected, () => `${what} is ${actual}, not ${expected}`);
}

/** @throws Error if discounts, charges or taxes are not as expected */
export function checkExpected(scenario: Scenario, draft: TotalsDraft): void {
  checkDiscounts(scenario, draft);
  checkShipping(scenario, draft);
  checkRounding(scenario, draft);
  if (scenario.roundPer !== 'total') checkLineTaxes(scenario, draft);
  else if (draft.shipping.every(({ discountedAmount }) => discountedAmount === 0)) checkTotalTaxes(scenario, draft);
}

/** The total is a multiple of the step, the nearest one, the larger of two that are as near. */
function checkRounding({ roundTo }: Scenario, { totals: { total, tax, rounding } }: TotalsDraft): void {
  hold(total % roundTo === 0, () => `the total ${total} is no multiple of ${roundTo}`);
  const isNearest = -roundTo < 2 * rounding && 2 * rounding <= roundTo && total - rounding >= 0;
  // What is not free is not rounded to nothing.
  const isLeast = total === roundTo && rounding < roundTo;
  // Nor is any of the tax taken off.
  const keepsTax = rounding > 0 && rounding < roundTo && total - roundTo < tax;
  hold(
    (isNearest && (total > 0 || rounding === 0)) || isLeast || keepsTax,
    () => `${total} was rounded by ${rounding} to ${roundTo}`,
  );
}

/** Discounts on goods are exact in sum, and divided in proportion to what they are computed of. */
function checkDiscounts({ promotions, currency, lines }: Scenario, { adjustments }: TotalsDraft): void {
  const left = new Map(lines.map(({ id, total }) => [id, total]));
  const ofGoods = adjustments.filter(({ kind, lineId }) => kind === 'discount' && lineId !== undefined);
  for (const [id, own] of Map.groupBy(ofGoods, ({ source }) => source?.id)) {
    const promotion = promotions.find((each) => each.promotion?.id === id)?.promotion;
    if (!promotion) throw new Error(`the discount of ${id} has no promotion`);
    const { discount, rules } = promotion;
    const targets = lines.filter((line) => rules.appliesTo === 'all' || meets(rules.conditions, line));
    const amount = sumOf(own.map((each) => -each.amount));
    const expected = expectedOff(discount, currency, targets, left);
    // Side by side, what is not left of a line is not taken off another.
    const isSideBySide = 'base' in discount && discount.base === 'price';
    if (expected && !isSideBySide) equal(`the discount of ${id}`, amount, Math.round(sumOf([...expected.values()])));
    for (const { lineId, amount: share } of own) {
      const line = lineId as string;
      if (expected) {
        const exact = expected.get(line) ?? 0;
        hold(Math.abs(-share - exact) < 1, () => `${-share} of the discount ${amount} on ${line} is not ${exact}`);
      }
      left.set(line, (left.get(line) as number) + share);
    }
  }
}

/**
 * What is taken off each line, before the division of whole amounts rounds it; the sum is whole. Null for a kind that is not
 * computed here.
 */
function expectedOff(
  discount: NonNullable<Scenario['promotions'][number]['promotion']>['discount'],
  currency: string,
  targets: readonly TotalsLine[],
  left: ReadonlyMap<string, number>,
): Map<string, number> | null {
  const inCurrency = (amounts?: readonly { amount: number; currency: string }[]) =>
    amounts?.find((each) => each.currency === currency)?.amount;
  if (!('percent' in discount || 'amounts' in discount) || discount.kind === 'buy_x_get_y') return null;
  const maxUnits = 'maxUnits' in discount ? discount.maxUnits : undefined;
  // Unit by unit, each with the place of its line.
  const units = targets
    .flatMap((line, place) => Array.from({ length: line.quantity }, (_, at) => ({ line, place, at })))
    .filter(({ line, at }) =>
      maxUnits?.per === 'line' ? at < maxUnits.count : maxUnits === undefined || (left.get(line.id) as number) > 0,
    )
    .toSorted((one, other) => {
      if (maxUnits?.per !== 'order') return 0;
      const byPrice = one.line.unitPrice - other.line.unitPrice;
      return (maxUnits.first === 'dearest' ? -byPrice : byPrice) || one.place - other.place;
    })
    .slice(0, maxUnits?.per === 'order' ? maxUnits.count : undefined);
  const partOf = (line: TotalsLine, amount: number) => {
    const count = units.filter((each) => each.line === line).length;
    return { count, part: halfUp(BigInt(amount) * BigInt(count), BigInt(line.quantity)) };
  };
  const parts = new Map(targets.map((line) => [line.id, partOf(line, left.get(line.id) as number)]));
  if (discount.kind === 'fixed_per_unit') {
    const off = inCurrency(discount.amounts) ?? 0;
    return new Map([...parts].map(([id, { count, part }]) => [id, Math.min(off * count, part)]));
  }
  const isSideBySide = discount.kind === 'percent' && discount.base === 'price';
  const bases = new Map(
    targets.map((line) => [line.id, isSideBySide ? partOf(line, line.total).part : (parts.get(line.id)?.part ?? 0)]),
  );
  const base = sumOf([...bases.values()]);
  const off =
    'percent' in discount
      ? Math.min(
          halfUp(BigInt(base) * scaled([{ rate: discount.percent }]), hundred),
          inCurrency(discount.maxAmounts) ?? Number.POSITIVE_INFINITY,
        )
      : Math.min(inCurrency(discount.amounts) ?? 0, base);
  const most = (id: string) => (isSideBySide ? (parts.get(id)?.part ?? 0) : Number.POSITIVE_INFINITY);
  return new Map([...bases].map(([id, own]) => [id, base === 0 ? 0 : Math.min((off * own) / base, most(id))]));
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
function exactWithin(amount: number, rates: readonly ApplicableRate[], rounding: Scenario['rounding']): number {
  const [simple, compound] = [false, true].map((kind) => scaled(rates.filter((rate) => rate.compound === kind)));
  const gross = (hundred + (simple as bigint)) * (hundred + (compound as bigint));
  return rounded(BigInt(amount) * (gross - hundred * hundred), gross, rounding);
}

const taxesOn = (adjustments: readonly Adjustment[], lineId: string) =>
  adjustments.filter((each) => each.kind === 'tax' && each.lineId === lineId);

/** Rounded for each line or unit: exact for each rate on top, and in sum within. */
function checkLineTaxes(
  { rates, rounding, roundPer, taxInclusive }: Scenario,
  { lines, adjustments }: TotalsDraft,
): void {
  for (const { id, discountedTotal, quantity, taxCategory } of lines) {
    const applied = ratesOf(rates, taxCategory);
    const own = taxesOn(adjustments, id);
    const rest = discountedTotal % quantity;
    const unitPrice = (discountedTotal - rest) / quantity;
    // Amounts with the same tax, each as often as it occurs.
    const amounts: [amount: number, times: number][] =
      roundPer === 'line'
        ? [[discountedTotal, 1]]
        : [
            [unitPrice, quantity - rest],
            [unitPrice + 1, rest],
          ];
    const sumOver = (taxOf: (amount: number) => number) =>
      sumOf(amounts.map(([amount, times]) => times * taxOf(amount)));
    if (taxInclusive) {
      const expected = sumOver((amount) => exactWithin(amount, applied, rounding));
      equal(`the tax of ${id}`, sumOf(own.map(({ amount }) => amount)), expected);
    } else {
      for (const rate of applied) {
        const taxes = own.flatMap(({ source, amount }) => (source?.id === rate.id ? amount : []));
        equal(
          `the tax of ${id} at ${rate.id}`,
          sumOf(taxes),
          sumOver((amount) => rounded(exactOf(amount, applied, rate), hundred ** 2n, rounding)),
        );
      }
    }
  }
}

/** Rounded for the total: exact for each rate on top, and for all lines with the same rates within. */
function checkTotalTaxes({ rates, rounding, taxInclusive }: Scenario, { lines, adjustments }: TotalsDraft): void {
  const keyOf = ({ taxCategory }: TotalsLine) =>
    ratesOf(rates, taxCategory)
      .map(({ id }) => id)
      .join();
  for (const group of taxInclusive ? Map.groupBy(lines, keyOf).values() : []) {
    const amount = sumOf(group.map(({ discountedTotal }) => discountedTotal));
    const own = group.flatMap(({ id }) => taxesOn(adjustments, id)).map((each) => each.amount);
    equal(
      'the tax of a group',
      sumOf(own),
      exactWithin(amount, ratesOf(rates, (group[0] as TotalsLine).taxCategory), rounding),
    );
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
    equal(`the tax at ${rate.id}`, sumOf(own), rounded(exact, hundred ** 2n, rounding));
  }
}
