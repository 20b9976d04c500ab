/**
 * Properties of totals for arbitrary steps: they add up, nothing falls below zero, and even the largest are exact.
 */
import { percentOf, percentWithin } from '@carton/runtime';
import fc from 'fast-check';
import t from 'tap';
import { type Adjustment, runTotals, type Sale, type TotalsDraft, type TotalsLine } from '../index.ts';
import { largestAmount } from '../pricing/totals.ts';

const sale = { currency: 'EUR', lines: [] } as unknown as Sale;

function line(id: string, quantity: number, unitPrice: number): TotalsLine {
  const total = quantity * unitPrice;
  const rest = {
    variantId: 'v',
    productId: 'p',
    taxCategory: null,
    shippingProfile: null,
    properties: {},
    weight: null,
  };
  return { id, quantity, unitPrice, total, discountedTotal: total, ...rest };
}

const lines = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 0, max: 10_000_000_000 })), {
    minLength: 1,
    maxLength: 10,
  })
  .map((pairs) => pairs.map(([quantity, unitPrice], at) => line(`line ${at}`, quantity, unitPrice)));

/** Amounts of every size: a few units, and up to the largest. */
const size = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: largestAmount }));
const rate = fc.integer({ min: 0, max: 10_000_000 }).map((scaled) => scaled / 100_000);

interface Scenario {
  discounts: { amount: number; line: number | null }[];
  charges: number[];
  shippingDiscounts: { amount: number; charge: number }[];
  rate: number;
  included: boolean;
}
const scenarios: fc.Arbitrary<Scenario> = fc.record({
  discounts: fc.array(fc.record({ amount: size, line: fc.option(fc.nat(9), { nil: null }) }), { maxLength: 5 }),
  charges: fc.array(size, { maxLength: 3 }),
  shippingDiscounts: fc.array(fc.record({ amount: size, charge: fc.nat(2) }), { maxLength: 3 }),
  rate,
  included: fc.boolean(),
});

const base = { code: 'X', label: 'X' };

/** The steps of a scenario, as far as the lines and charges they refer to exist. */
function stepsOf({ discounts, charges, shippingDiscounts, rate, included }: Scenario) {
  const kind = 'discount' as const;
  const discount = (draft: TotalsDraft): Adjustment[] =>
    discounts.map(({ amount, line }) => {
      const lineId = line === null ? undefined : draft.lines[line % draft.lines.length]?.id;
      return { ...base, kind, amount: -amount || 0, ...(lineId !== undefined && { lineId }) };
    });
  const taxOf = (amount: number) => (included ? percentWithin(amount, rate) : percentOf(amount, rate));
  const tax = { ...base, kind: 'tax' as const, rate, included };
  return [
    { name: 'discount', adjust: discount },
    {
      name: 'shipping',
      adjust: (): Adjustment[] =>
        charges.map((amount, at) => ({ ...base, kind: 'shipping', amount, code: `charge ${at}` })),
    },
    {
      name: 'free shipping',
      adjust: ({ shipping }: TotalsDraft): Adjustment[] =>
        shippingDiscounts.flatMap(({ amount, charge }) => {
          const shippingCode = shipping[charge]?.code;
          return shippingCode === undefined ? [] : { ...base, kind, amount: -amount || 0, shippingCode };
        }),
    },
    {
      name: 'tax',
      adjust: ({ lines, shipping }: TotalsDraft): Adjustment[] => [
        ...lines.map(({ id, discountedTotal }) => ({ ...tax, amount: taxOf(discountedTotal), lineId: id })),
        ...shipping.map(({ code, discountedAmount }) => ({
          ...tax,
          amount: taxOf(discountedAmount),
          shippingCode: code,
        })),
      ],
    },
  ];
}

const sum = (amounts: readonly number[]) => Number(amounts.reduce((all, amount) => all + BigInt(amount), 0n));

t.test('totals add up, exactly, and nothing is below zero', async (t) => {
  const run = fc.property(lines, scenarios, (sold, scenario) => {
    const { totals, adjustments, lines: after, shipping } = runTotals({ sale, region: null }, sold, stepsOf(scenario));
    const sumOf = (kind: string) => sum(adjustments.flatMap((each) => (each.kind === kind ? each.amount : [])));
    const subtotal = sum(sold.map(({ total }) => total));
    const added = sum(adjustments.flatMap(({ amount, included }) => (included ? [] : amount)));
    t.strictSame(totals, {
      subtotal,
      discount: sumOf('discount'),
      shipping: sumOf('shipping'),
      tax: sumOf('tax'),
      credit: 0,
      rounding: 0,
      total: Number(BigInt(subtotal) + BigInt(added)),
    });
    const amounts = [
      totals.total,
      ...after.map((each) => each.discountedTotal),
      ...shipping.map((each) => each.discountedAmount),
    ];
    t.ok(amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0));
    t.notOk(adjustments.some(({ amount }) => Object.is(amount, -0)));
    for (const { id, total, discountedTotal } of after) {
      const off = sum(
        adjustments.flatMap((each) => (each.kind === 'discount' && each.lineId === id ? each.amount : [])),
      );
      t.equal(discountedTotal, total + off, 'a line includes all its discounts');
    }
    for (const { code, amount, discountedAmount } of shipping) {
      const appliesTo = ({ kind, shippingCode }: Adjustment) => kind === 'discount' && shippingCode === code;
      t.equal(discountedAmount, amount + sum(adjustments.flatMap((each) => (appliesTo(each) ? each.amount : []))));
    }
    const hasTarget = ({ kind, lineId, shippingCode }: Adjustment) =>
      kind === 'shipping' || (lineId === undefined) !== (shippingCode === undefined);
    t.ok(adjustments.every(hasTarget), 'each names its target');
  });
  fc.assert(run, { numRuns: 300 });
});

t.test('a discount on the sale takes off its exact amount, however it is spread', async (t) => {
  const run = fc.property(lines, size, (sold, off) => {
    const discount = { ...base, kind: 'discount' as const, amount: -off || 0 };
    const { totals } = runTotals({ sale, region: null }, sold, [{ name: 'off', adjust: () => [discount] }]);
    t.equal(totals.discount, -Math.min(off, totals.subtotal) || 0);
  });
  fc.assert(run, { numRuns: 300 });
});

t.test('runTotals is deterministic and does not change its input', async (t) => {
  const run = fc.property(lines, scenarios, (sold, scenario) => {
    const before = structuredClone(sold);
    const once = runTotals({ sale, region: null }, sold, stepsOf(scenario));
    t.strictSame(runTotals({ sale, region: null }, sold, stepsOf(scenario)), once);
    t.strictSame(sold, before);
  });
  fc.assert(run, { numRuns: 50 });
});
