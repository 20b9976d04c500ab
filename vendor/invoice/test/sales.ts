/**
 * Random sales as the rows of orders, and their lines as an invoice has them.
 */
import type { ChargedRows } from '@carton/order';
import { allocate, percentOf, percentWithin } from '@carton/runtime';
import fc from 'fast-check';
import type { ContentLine } from '../content.ts';
import { taxedChargesOf } from '../issuing/taxation.ts';

/** The rows of an order. */
export type Rows = Omit<ChargedRows, 'roundingAmount'> & { roundingAmount?: number };
type TaxLine = Rows['taxLines'][number];

export const line = (id: string, quantity: number, totalAmount: number) =>
  ({ id, quantity, totalAmount }) as Rows['lines'][number];
export const adjustment = (kind: 'discount' | 'shipping' | 'credit', amount: number, over: object = {}) =>
  ({ kind, code: 'standard', amount, itemId: null, shippingCode: null, ...over }) as Rows['adjustments'][number];
export const tax = (rate: number | null, amount: number, over: Partial<TaxLine> = {}) =>
  ({
    code: `vat-${rate}`,
    label: 'VAT',
    rate,
    amount,
    included: false,
    itemId: null,
    shippingCode: null,
    ...over,
  }) as TaxLine;

/** The lines of an invoice. */
export function contentOf(rows: Rows) {
  const { taxGroups, charges } = taxedChargesOf({ roundingAmount: 0, ...rows });
  const lines = charges.map(({ charge, parts }): ContentLine => {
    const { lineItemId, shippingCode, quantity, discount, credit, rounding } = charge;
    const title = lineItemId ?? shippingCode ?? '';
    const article = { title, variantTitle: null, sku: null, unitAmount: null };
    return { lineItemId, shippingCode, ...article, quantity, discount, credit, rounding, parts };
  });
  return { taxGroups, lines };
}

const amount = fc.oneof(fc.nat(20), fc.nat(100_000), fc.nat(10 ** 12));
const rate = fc.constantFrom(0, 5, 7, 9.975, 19, 20);
/** What a sale consists of, for `fc.record`. */
export const saleFields = {
  lines: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 12 }),
      total: amount,
      rates: fc.uniqueArray(rate, { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  charges: fc.array(amount, { maxLength: 2 }),
  discounts: fc.array(fc.record({ percent: fc.nat(20), line: fc.option(fc.nat(5)) }), { maxLength: 3 }),
  credit: fc.constantFrom(0, 0, 0, 30, 100),
  included: fc.boolean(),
  /** Whether shipping contains its taxes where goods do not, or the other way round. */
  shippingUnlike: fc.boolean(),
  orderTax: fc.constantFrom(0, 0, 3),
  roundTo: fc.constantFrom(1, 1, 5, 50),
};
const sales = fc.record(saleFields);
type Sale = typeof sales extends fc.Arbitrary<infer S> ? S : never;

/** The rows of an order, with shipping taxed in proportion to the goods, as the package tax does. */
export function rowsOf(sale: Sale): ChargedRows {
  const { lines, charges, discounts, credit, included, shippingUnlike, orderTax, roundTo } = sale;
  const sums = lines.map(({ total }) => total);
  const reductions = lines.map(() => 0);
  const adjustments: Rows['adjustments'] = charges.map((each, at) => adjustment('shipping', each, { code: `c${at}` }));
  for (const { percent, line: index } of discounts) {
    const at = index === null ? null : index % lines.length;
    const base = at === null ? sums.reduce((sum, each) => sum + each, 0) : (sums[at] as number);
    const value = Math.floor((base * percent) / 100);
    if (value === 0) continue;
    const shares = at === null ? allocate(value, sums) : sums.map((_, position) => (position === at ? value : 0));
    for (const [position, share] of shares.entries()) {
      reductions[position] = (reductions[position] as number) + share;
      if (share > 0) adjustments.push(adjustment('discount', -share, { code: 'sale', itemId: `line ${position}` }));
    }
  }
  const taxed = (base: number, percent: number, isWithin = included) =>
    isWithin ? percentWithin(base, percent) : percentOf(base, percent);
  const ofShipping = included !== shippingUnlike;
  const bases = sums.map((each, at) => each - (reductions[at] as number));
  const taxLines = lines.flatMap(({ rates }, at) =>
    rates.map((each) => tax(each, taxed(bases[at] as number, each), { included, itemId: `line ${at}` })),
  );
  for (const [at, charge] of charges.entries()) {
    const shares = allocate(charge, bases);
    const all = new Set(lines.flatMap(({ rates }) => rates));
    for (const each of all) {
      const base = shares.reduce(
        (sum, share, position) => sum + (lines[position]?.rates.includes(each) ? share : 0),
        0,
      );
      taxLines.push(tax(each, taxed(base, each, ofShipping), { included: ofShipping, shippingCode: `c${at}` }));
    }
  }
  const gross = bases.reduce((sum, each) => sum + each, 0) + charges.reduce((sum, each) => sum + each, 0);
  if (orderTax > 0) taxLines.push(tax(orderTax, percentOf(gross, orderTax), { code: 'levy' }));
  const reduction = Math.floor((gross * credit) / 100);
  if (reduction > 0) adjustments.push(adjustment('credit', -reduction));
  const total = gross - reduction + taxLines.reduce((sum, each) => sum + (each.included ? 0 : each.amount), 0);
  const roundingAmount = total === 0 ? 0 : Math.max(1, Math.floor(total / roundTo + 0.5)) * roundTo - total;
  const goods = lines.map(({ quantity, total: price }, at) => line(`line ${at}`, quantity, price));
  return { lines: goods, adjustments, taxLines, roundingAmount };
}
