/**
 * Properties of taxes in arbitrary sales: sums agree, no tax exceeds the amount that includes it, and each is exact.
 */
import { type Adjustment, runTotals, type Sale, type TotalsDraft, type TotalsLine } from '@carton/cart';
import { allocate, minorUnitDigits, type Rounding, roundings } from '@carton/runtime';
import fc from 'fast-check';
import t from 'tap';
import { type ApplicableRate, ratesOf } from '../rates/applicable.ts';
import { partsOfCharge } from '../sales/compute.ts';
import { taxesByRates } from '../sales/step.ts';

const runs = 4000;
const categories = [null, 'books', 'food', 'unknown'];

const percent = fc.oneof(
  fc.constantFrom(0, 5, 7, 9.975, 19, 20, 100),
  fc.integer({ min: 0, max: 10_000_000 }).map((scaled) => scaled / 100_000),
);
const rates: fc.Arbitrary<ApplicableRate[]> = fc
  .array(
    fc.record({
      rate: percent,
      province: fc.constantFrom(null, 'QC'),
      category: fc.constantFrom(null, null, 'books', 'food'),
      compound: fc.boolean(),
      override: fc.boolean(),
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map((each, at) => {
      const override = each.override && each.province !== null;
      return { ...each, override, id: `rate ${at}`, code: `code ${at}`, name: 'Tax' };
    }),
  );
/** Prices of usual size, in the minor units of a currency of 0, 2 or 3 decimals, and the largest. */
const currency = fc.constantFrom('JPY', 'EUR', 'KWD');
const amountIn = (code: string) =>
  fc.oneof(
    fc.integer({ min: 0, max: 500 * 10 ** minorUnitDigits(code) }),
    fc.integer({ min: 0, max: 20 }),
    fc.nat(10 ** 10),
  );
const sales = currency.chain((code) =>
  fc.record({
    currency: fc.constant(code),
    lines: fc.array(
      fc.record({
        quantity: fc.integer({ min: 1, max: 50 }),
        unitPrice: amountIn(code),
        category: fc.constantFrom(...categories),
      }),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
    discounts: fc.array(fc.record({ amount: amountIn(code), line: fc.option(fc.nat(7), { nil: null }) }), {
      maxLength: 3,
    }),
    charges: fc.array(amountIn(code), { maxLength: 2 }),
    shippingDiscount: fc.option(amountIn(code), { nil: null }),
    rates,
    taxInclusive: fc.boolean(),
    shippingTaxInclusive: fc.constantFrom(null, null, true, false),
    roundPer: fc.constantFrom('unit' as const, 'line' as const, 'total' as const),
    rounding: fc.constantFrom(...roundings),
    shippingCategory: fc.constantFrom(null, null, 'books', 'unknown'),
  }),
);
type Scenario = typeof sales extends fc.Arbitrary<infer S> ? S : never;

const base = { code: 'X', label: 'X' };
const minus = (amount: number) => -amount || 0;

function totalsOf(scenario: Scenario): TotalsDraft {
  const lines = scenario.lines.map(({ quantity, unitPrice, category }, at): TotalsLine => {
    const total = quantity * unitPrice;
    const amounts = { quantity, unitPrice, total, discountedTotal: total };
    return {
      id: `line ${at}`,
      variantId: 'v',
      productId: 'p',
      taxCategory: category,
      shippingProfile: null,
      properties: {},
      weight: null,
      ...amounts,
    };
  });
  const discounts = scenario.discounts.map(({ amount, line }): Adjustment => {
    const target = line === null ? {} : { lineId: `line ${line % lines.length}` };
    return { ...base, kind: 'discount', amount: minus(amount), ...target };
  });
  const charges = scenario.charges.map(
    (amount, at): Adjustment => ({ ...base, kind: 'shipping', amount, code: `charge ${at}` }),
  );
  const off: Adjustment[] =
    scenario.shippingDiscount === null || charges.length === 0
      ? []
      : [{ ...base, kind: 'discount', amount: minus(scenario.shippingDiscount), shippingCode: 'charge 0' }];
  const { roundPer, rounding, shippingCategory } = scenario;
  const read = { rates: scenario.rates, settings: { roundPer, rounding, shippingCategory } };
  const sale = { currency: scenario.currency, lines: [] } as unknown as Sale;
  return runTotals(
    {
      sale,
      region: { id: 'r', taxInclusive: scenario.taxInclusive, shippingTaxInclusive: scenario.shippingTaxInclusive },
    },
    lines,
    [
      { name: 'discount', adjust: () => discounts },
      { name: 'shipping', adjust: () => charges },
      { name: 'shipping discount', adjust: () => off },
      { name: 'tax', adjust: (draft) => taxesByRates(draft, read) },
    ],
  );
}

const hundred = 10_000_000n;
const scaled = (rates: readonly ApplicableRate[]) =>
  rates.reduce((sum, { rate }) => sum + BigInt(Math.round(rate * 100_000)), 0n);
/** A quotient, rounded by its remainder. */
function rounded(numerator: bigint, denominator: bigint, rounding: Rounding): number {
  const twice = 2n * (numerator % denominator);
  const isUp = rounding === 'half_up' ? twice >= denominator : rounding === 'half_down' && twice > denominator;
  return Number(numerator / denominator) + Number(isUp);
}

/** The taxes within a gross amount: the gross is the net times (1 + simple rates) times (1 + compound rates). */
function exactWithin(amount: bigint, rates: readonly ApplicableRate[], rounding: Rounding): number {
  const [simple = 0n, compound = 0n] = [false, true].map((kind) =>
    scaled(rates.filter((each) => each.compound === kind)),
  );
  const gross = (hundred + simple) * (hundred + compound);
  return rounded(amount * (gross - hundred * hundred), gross, rounding);
}

/** The exact tax at one of the rates, on top of an amount: a fraction. */
function exactOf(amount: number, rates: readonly ApplicableRate[], rate: ApplicableRate): [bigint, bigint] {
  const simple = scaled(rates.filter(({ compound }) => !compound));
  return [BigInt(amount) * scaled([rate]) * (rate.compound ? hundred + simple : hundred), hundred * hundred];
}

const sum = (adjustments: readonly { amount: number }[]) => adjustments.reduce((all, { amount }) => all + amount, 0);

t.test('sums agree, and no tax exceeds the amount that includes it', async (t) => {
  const seen = {
    sales: 0,
    taxed: 0,
    taxes: 0,
    included: 0,
    compound: 0,
    perUnit: 0,
    perTotal: 0,
    roundedDown: 0,
    shipping: 0,
    mixed: 0,
  };
  const check = (scenario: Scenario) => {
    const draft = totalsOf(scenario);
    const { totals, adjustments, lines, shipping } = draft;
    const taxes = adjustments.filter(({ kind }) => kind === 'tax');
    const { taxInclusive, shippingTaxInclusive } = scenario;
    const isShippingWithin = shippingTaxInclusive ?? taxInclusive;
    const isWithin = ({ lineId }: Adjustment) => (lineId === undefined ? isShippingWithin : taxInclusive);
    const added = sum(taxes.filter((tax) => !isWithin(tax)));
    const fail = (what: string) => {
      throw new Error(`${what}: ${JSON.stringify(totals)} ${JSON.stringify(taxes)}`);
    };
    if (totals.tax !== sum(taxes)) fail('the tax is not the sum of the taxes');
    if (totals.total !== totals.subtotal + totals.discount + totals.shipping + added) fail('the total does not add up');
    if (totals.total < 0 || taxes.some(({ amount }) => !Number.isSafeInteger(amount) || amount < 0)) fail('below zero');
    if (taxes.some((tax) => tax.included !== isWithin(tax))) fail('included otherwise than the region says');
    if (totals.tax > totals.total) fail('more tax than total');
    const keys = new Set(taxes.map(({ lineId, shippingCode, source }) => `${lineId} ${shippingCode} ${source?.id}`));
    if (keys.size !== taxes.length) fail('two taxes on one line or charge at one rate');
    for (const { id, taxCategory, discountedTotal, quantity } of lines) {
      const own = taxes.filter(({ lineId }) => lineId === id);
      const applied = ratesOf(scenario.rates, taxCategory);
      if (own.map(({ code }) => code).join() !== applied.map(({ code }) => code).join()) fail('other rates');
      if (scenario.taxInclusive && sum(own) > discountedTotal) fail('more tax than the line');
      if (scenario.roundPer === 'unit') exactUnits(discountedTotal, quantity, applied, { own, scenario }, fail);
      else if (scenario.roundPer === 'line')
        exactLine(discountedTotal, applied, { own, rounding: scenario.rounding }, fail);
      else if (!scenario.taxInclusive) nearLine(discountedTotal, applied, own, fail);
    }
    for (const { code, discountedAmount } of shipping) {
      const own = taxes.filter(({ shippingCode }) => shippingCode === code);
      if (isShippingWithin && sum(own) > discountedAmount) fail('more tax than the charge');
      if (!isShippingWithin && scenario.roundPer !== 'total') exactCharge(scenario, draft, discountedAmount, own, fail);
      if (own.length > 0) seen.shipping++;
      if (own.length > 0 && isShippingWithin !== taxInclusive) seen.mixed++;
    }
    const exactTotals = scenario.roundPer === 'total' && shipping.length === 0;
    if (exactTotals && !scenario.taxInclusive) exactRates(scenario, lines, taxes, fail);
    if (exactTotals && scenario.taxInclusive) exactGroups(scenario, lines, taxes, fail);
    seen.sales++;
    seen.taxes += taxes.length;
    if (taxes.length > 0) seen.taxed++;
    if (taxes.length > 0 && scenario.taxInclusive) seen.included++;
    if (taxes.length > 0 && scenario.roundPer === 'total') seen.perTotal++;
    if (taxes.length > 0 && scenario.roundPer === 'unit') seen.perUnit++;
    if (taxes.length > 0 && scenario.rounding !== 'half_up') seen.roundedDown++;
    if (scenario.rates.some(({ compound, id }) => compound && taxes.some(({ source }) => source?.id === id)))
      seen.compound++;
  };
  t.doesNotThrow(() => fc.assert(fc.property(sales, check), { numRuns: runs }));
  t.equal(seen.sales, runs);
  t.ok(
    Object.values(seen).every((count) => count > runs / 20),
    'every kind of sale was seen',
  );
  t.comment(seen);
});

type Fail = (what: string) => void;
type Line = TotalsDraft['lines'][number];

/** Rounded once for each line: exact on top, and in sum within. */
function exactLine(
  amount: number,
  rates: readonly ApplicableRate[],
  { own, rounding }: { own: readonly Adjustment[]; rounding: Rounding },
  fail: Fail,
): void {
  if (own.some(({ included }) => included)) {
    if (sum(own) !== exactWithin(BigInt(amount), rates, rounding)) fail('not exact within the line');
  } else {
    const expected = rates.map((rate) => rounded(...exactOf(amount, rates, rate), rounding));
    if (own.some((each, at) => each.amount !== expected[at])) fail('not exact on top of the line');
  }
}

/** Rounded for each unit, one by one: some cost a minor unit more than others. */
function exactUnits(
  ...[amount, quantity, rates, { own, scenario }, fail]: [
    ...[amount: number, quantity: number, rates: readonly ApplicableRate[]],
    ...[{ own: readonly Adjustment[]; scenario: Scenario }, Fail],
  ]
): void {
  const { rounding, taxInclusive } = scenario;
  const units = allocate(amount, Array(quantity).fill(1));
  const sumOf = (taxOf: (unit: number) => number) => units.reduce((all, unit) => all + taxOf(unit), 0);
  if (taxInclusive) {
    if (sum(own) !== sumOf((unit) => exactWithin(BigInt(unit), rates, rounding))) fail('not exact within the units');
  } else {
    const expected = rates.map((rate) => sumOf((unit) => rounded(...exactOf(unit, rates, rate), rounding)));
    if (own.some((each, at) => each.amount !== expected[at])) fail('not exact on top of the units');
  }
}

/** Each share of a rounded total is less than two units from the exact tax: one at most for the total, one for the share. */
function nearLine(amount: number, rates: readonly ApplicableRate[], own: readonly Adjustment[], fail: Fail): void {
  for (const [at, rate] of rates.entries()) {
    const [numerator, denominator] = exactOf(amount, rates, rate);
    const difference = BigInt(own[at]?.amount ?? Number.MIN_SAFE_INTEGER) * denominator - numerator;
    const size = difference < 0n ? -difference : difference;
    if (size >= 2n * denominator) fail('far from exact');
  }
}

/** On top, the tax of a charge is exact for each of its parts, and each rate has one tax. */
function exactCharge(
  { rates, rounding, shippingCategory }: Scenario,
  { lines }: TotalsDraft,
  amount: number,
  own: readonly Adjustment[],
  fail: Fail,
): void {
  const goods = lines.map(({ discountedTotal: amount, total: price, quantity, taxCategory }) => ({
    ...{ amount, price, quantity, rates: ratesOf(rates, taxCategory) },
  }));
  const whole = [{ amount, rates: ratesOf(rates, shippingCategory) }];
  const parts = shippingCategory === null ? partsOfCharge(amount, goods) : whole;
  if (sum(parts) !== amount) fail('the parts of a charge do not add up');
  for (const rate of rates) {
    const shares = parts.flatMap((part) =>
      part.rates.includes(rate) ? rounded(...exactOf(part.amount, part.rates, rate), rounding) : [],
    );
    const expected = shares.reduce((all, share) => all + share, 0);
    if (sum(own.filter(({ source }) => source?.id === rate.id)) !== expected) fail('the tax of a charge is not exact');
  }
}

/** On top, each rate is exact in sum. */
function exactRates(
  { rates, rounding }: Scenario,
  lines: readonly Line[],
  taxes: readonly Adjustment[],
  fail: Fail,
): void {
  for (const rate of rates) {
    let exact = 0n;
    for (const { discountedTotal, taxCategory } of lines) {
      const applied = ratesOf(rates, taxCategory);
      if (applied.includes(rate)) exact += exactOf(discountedTotal, applied, rate)[0];
    }
    const own = taxes.filter(({ source }) => source?.id === rate.id);
    if (sum(own) !== rounded(exact, hundred * hundred, rounding)) fail(`${rate.id} is not exact in sum`);
  }
}

/** Within, the lines with the same rates are exact in sum. */
function exactGroups(
  { rates, rounding }: Scenario,
  lines: readonly Line[],
  taxes: readonly Adjustment[],
  fail: Fail,
): void {
  const keyOf = ({ taxCategory }: Line) =>
    ratesOf(rates, taxCategory)
      .map(({ id }) => id)
      .join();
  for (const group of Map.groupBy(lines, keyOf).values()) {
    const applied = ratesOf(rates, (group[0] as Line).taxCategory);
    const amount = group.reduce((all, { discountedTotal }) => all + BigInt(discountedTotal), 0n);
    const own = taxes.filter(({ lineId }) => group.some(({ id }) => id === lineId));
    if (sum(own) !== exactWithin(amount, applied, rounding)) fail('a group is not exact in sum');
  }
}
