/**
 * What lines and shipping charges cost, and that refunds of their units always add up to it.
 */
import fc from 'fast-check';
import t from 'tap';
import { type Charge, chargesOf, feeSource } from '../charges/amounts.ts';
import { type Refunded, refundOf } from '../refunds/shares.ts';
import type { OrderAdjustmentRow, OrderRow, OrderTaxLineRow } from '../store.ts';

type Rows = Pick<OrderRow, 'lines' | 'adjustments' | 'taxLines'> & { roundingAmount?: number };

const line = (id: string, quantity: number, totalAmount: number) =>
  ({ id, quantity, totalAmount }) as OrderRow['lines'][number];
const adjustment = (kind: OrderAdjustmentRow['kind'], amount: number, over: Partial<OrderAdjustmentRow> = {}) =>
  ({ kind, code: 'standard', amount, itemId: null, shippingCode: null, ...over }) as OrderAdjustmentRow;
const tax = (amount: number, over: Partial<OrderTaxLineRow> = {}) =>
  ({ amount, included: false, itemId: null, shippingCode: null, ...over }) as OrderTaxLineRow;

/** The charges as `name quantity amount tax`. */
const shown = (rows: Rows) =>
  chargesOf({ roundingAmount: 0, ...rows }).map(({ lineItemId, shippingCode, quantity, amount, tax }) =>
    [lineItemId ?? shippingCode, quantity, amount, tax].join(' '),
  );

t.test('a charge is its amount after discounts, with taxes', async (t) => {
  t.strictSame(
    shown({
      lines: [line('shirt', 3, 3000), line('socks', 1, 500)],
      adjustments: [
        adjustment('discount', -301, { itemId: 'shirt' }),
        adjustment('shipping', 490),
        adjustment('discount', -100, { shippingCode: 'standard' }),
        adjustment('shipping', 200, { code: 'gift-wrap' }),
      ],
      taxLines: [
        tax(513, { itemId: 'shirt' }),
        tax(27, { itemId: 'shirt' }),
        tax(80, { itemId: 'socks', included: true }),
        tax(74, { shippingCode: 'standard' }),
      ],
    }),
    ['shirt 3 3239 540', 'socks 1 500 80', 'standard 1 464 74', 'gift-wrap 1 200 0'],
  );
});

t.test('what applies to the entire order is divided in proportion to the amounts', async (t) => {
  t.strictSame(
    shown({
      lines: [line('shirt', 2, 2000), line('socks', 1, 1000)],
      adjustments: [adjustment('discount', -100), adjustment('credit', -301), adjustment('shipping', 1000)],
      taxLines: [tax(100), tax(7, { included: true })],
    }),
    ['shirt 2 1849 53', 'socks 1 925 27', 'standard 1 925 27'],
  );
});

t.test('what the total is rounded by is shared in proportion to what the charges cost', async (t) => {
  const fee = adjustment('shipping', 300, { code: 'fee', source: { type: feeSource, id: 'cash' } });
  const rows = {
    lines: [line('shirt', 2, 2000), line('socks', 1, 1000), line('gift', 1, 500)],
    adjustments: [adjustment('discount', -500, { itemId: 'gift' }), adjustment('shipping', 1000), fee],
    taxLines: [tax(380, { itemId: 'shirt' }), tax(160, { itemId: 'socks', included: true })],
  };
  const roundedBy = (roundingAmount: number) => shown({ ...rows, roundingAmount });
  // 2380, 1000 and 1000 of 4380; the fee bears nothing.
  t.strictSame(roundedBy(20), [
    'shirt 2 2391 380',
    'socks 1 1005 160',
    'gift 1 0 0',
    'standard 1 1004 0',
    'fee 1 300 0',
  ]);
  t.strictSame(roundedBy(-1), [
    'shirt 2 2379 380',
    'socks 1 1000 160',
    'gift 1 0 0',
    'standard 1 1000 0',
    'fee 1 300 0',
  ]);
  const taxed = { lines: [line('pin', 1, 4), line('tag', 1, 4)], adjustments: [], roundingAmount: -3 };
  const included = { itemId: 'pin', included: true };
  t.strictSame(shown({ ...taxed, taxLines: [tax(3, included)] }), ['pin 1 3 3', 'tag 1 2 0'], 'a share leaves the tax');
});

t.test('rounded shares of several reductions do not exceed a small charge', async (t) => {
  const fee = adjustment('shipping', 5, { code: 'fee', source: { type: feeSource, id: 'cash' } });
  const twice = (kind: 'discount' | 'credit', share: number) => [adjustment(kind, share), adjustment(kind, share)];
  const lines = [line('pin', 1, 1), line('shirt', 3, 10), line('socks', 1, 10)];
  const shownOf = (adjustments: OrderAdjustmentRow[]) => shown({ lines, adjustments, taxLines: [] });
  t.strictSame(shownOf(twice('discount', -9)), ['pin 1 0 0', 'shirt 3 1 0', 'socks 1 2 0'], 'discounts');
  t.strictSame(
    shownOf([adjustment('discount', -9), adjustment('credit', -9)]),
    ['pin 1 0 0', 'shirt 3 1 0', 'socks 1 2 0'],
    'a credit after a discount',
  );
  t.strictSame(
    shownOf([adjustment('discount', -1, { itemId: 'pin' }), ...twice('discount', -9)]),
    ['pin 1 0 0', 'shirt 3 1 0', 'socks 1 1 0'],
    'what a line bears by itself stays on it',
  );
  t.strictSame(
    [-3, -4].map((credit) => shownOf([...twice('discount', -9), adjustment('credit', credit), fee])),
    [
      ['pin 1 0 0', 'shirt 3 0 0', 'socks 1 0 0', 'fee 1 5 0'],
      ['pin 1 0 0', 'shirt 3 0 0', 'socks 1 0 0', 'fee 1 4 0'],
    ],
    'a fee bears nothing while something is left of the others',
  );
});

t.test('units are refunded at their rounded part of the cumulative cost', async (t) => {
  const charge: Charge = { lineItemId: 'shirt', shippingCode: null, quantity: 3, amount: 1000, tax: 160 };
  const [none, one, two] = [
    { quantity: 0, amount: 0, tax: 0 },
    { quantity: 1, amount: 333, tax: 53 },
    { quantity: 2, amount: 667, tax: 107 },
  ];
  t.strictSame(refundOf(charge, none, 1), { amount: 333, tax: 53 });
  t.strictSame(refundOf(charge, one, 1), { amount: 334, tax: 54 });
  t.strictSame(refundOf(charge, two, 1), { amount: 333, tax: 53 });
  t.strictSame(refundOf(charge, one, 2), { amount: 667, tax: 107 });
  t.strictSame(refundOf(charge, none, 3), { amount: 1000, tax: 160 });
  t.strictSame(refundOf({ ...charge, amount: 0, tax: 0 }, none, 2), { amount: 0, tax: 0 });
  const second = { quantity: 1, amount: 334, tax: 54 };
  t.strictSame(refundOf(charge, second, 1), { amount: 333, tax: 53 }, 'the refund of the first unit failed');
});

/** An order whose rows may apply to lines, charges or the entire order; prices contain some of the taxes. */
const amount = fc.oneof(fc.nat(20), fc.nat(100_000), fc.nat(10 ** 12));
const place = fc.record({ on: fc.constantFrom('line', 'charge', 'order'), at: fc.nat(20) });
const scenarios = fc.record({
  lines: fc.array(fc.record({ quantity: fc.integer({ min: 1, max: 40 }), total: amount }), {
    minLength: 1,
    maxLength: 6,
  }),
  charges: fc.array(amount, { maxLength: 3 }),
  discounts: fc.array(fc.record({ percent: fc.nat(20), place }), { maxLength: 3 }),
  credits: fc.array(fc.nat(1), { maxLength: 3 }),
  taxes: fc.array(fc.record({ percent: fc.nat(12), included: fc.boolean(), place }), { maxLength: 3 }),
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
  roundTo: fc.constantFrom(1, 5, 10, 50),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer S> ? S : never;

/** The rows of an order. Discounts are at most 60 % of what they apply to, credits 3 % and taxes 36 %. */
function rowsOf({ lines, charges, discounts, credits, taxes }: Scenario): Rows {
  const targetOf = ({ on, at }: Scenario['discounts'][number]['place']) => {
    if (on === 'line') return { itemId: `line ${at % lines.length}`, base: lines[at % lines.length]?.total ?? 0 };
    if (on === 'charge' && charges.length > 0) {
      return { shippingCode: `charge ${at % charges.length}`, base: charges[at % charges.length] ?? 0 };
    }
    return { base: lines.reduce((sum, { total }) => sum + total, 0) + charges.reduce((sum, each) => sum + each, 0) };
  };
  const partOf = (percent: number, { base }: { base: number }) => Math.floor((base * percent) / 100);
  return {
    lines: lines.map(({ quantity, total }, at) => line(`line ${at}`, quantity, total)),
    adjustments: [
      ...charges.map((each, at) => adjustment('shipping', each, { code: `charge ${at}` })),
      ...discounts.map(({ percent, place }) => {
        const { base, ...target } = targetOf(place);
        return adjustment('discount', -partOf(percent, { base }) || 0, { code: 'sale', ...target });
      }),
      ...credits.map((percent) => adjustment('credit', -partOf(percent, targetOf({ on: 'order', at: 0 })) || 0)),
    ],
    taxLines: taxes.map(({ percent, included, place }) => {
      const { base, ...target } = targetOf(place);
      return tax(partOf(percent, { base }), { included, ...target });
    }),
  };
}

/** The total as the order stores it: the sum of its rows. */
function totalOf({ lines, adjustments, taxLines }: Rows): number {
  const sum = (amounts: readonly number[]) => amounts.reduce((all, each) => all + each, 0);
  return (
    sum(lines.map(({ totalAmount }) => totalAmount)) +
    sum(adjustments.map((each) => each.amount)) +
    sum(taxLines.map((each) => (each.included ? 0 : each.amount)))
  );
}

/** What a total is rounded by: half up, and never to nothing. */
function roundingFor(total: number, step: number): number {
  return total === 0 ? 0 : Math.max(step, Math.floor((total + step / 2) / step) * step) - total;
}

const runs = 2000;

t.test('refunds of all units in any order add up to the total, and their tax to the tax', async (t) => {
  const seen = {
    orders: 0,
    units: 0,
    discounted: 0,
    taxed: 0,
    shipped: 0,
    onOrder: 0,
    credited: 0,
    rounded: 0,
    reversed: 0,
  };
  const check = (scenario: Scenario) => {
    const rows = rowsOf(scenario);
    const roundingAmount = roundingFor(totalOf(rows), scenario.roundTo);
    const charges = chargesOf({ ...rows, roundingAmount });
    const total = totalOf(rows) + roundingAmount;
    const sum = (name: 'amount' | 'tax', of: readonly { amount: number; tax: number }[]) =>
      of.reduce((all, each) => all + each[name], 0);
    if (sum('amount', charges) !== total) throw new Error(`the charges are ${sum('amount', charges)} of ${total}`);
    const taxes = rows.taxLines.reduce((all, each) => all + each.amount, 0);
    if (sum('tax', charges) !== taxes) throw new Error(`the taxes are ${sum('tax', charges)} of ${taxes}`);
    const ledgers = charges.map((): Refunded[] => []);
    const stateOf = (at: number) => {
      const ledger = ledgers[at] as Refunded[];
      const add = (name: keyof Refunded) => ledger.reduce((all, each) => all + each[name], 0);
      return { quantity: add('quantity'), amount: add('amount'), tax: add('tax') };
    };
    const isOpen = (at: number) => stateOf(at).quantity < (charges[at] as Charge).quantity;
    for (let step = 0; charges.some((_, at) => isOpen(at)); step++) {
      const open = charges.map((_, at) => at).filter(isOpen);
      const random = scenario.order[step % scenario.order.length] as number;
      const at = open[random % open.length] as number;
      const ledger = ledgers[at] as Refunded[];
      if (step < 50 && random % 4 === 0 && ledger.length > 0) {
        ledger.splice(random % ledger.length, 1);
        seen.reversed++;
        continue;
      }
      const refund = { quantity: 1, ...refundOf(charges[at] as Charge, stateOf(at), 1) };
      if (refund.amount < 0 || refund.tax < 0) throw new Error('a refund is below zero');
      if (refund.tax > refund.amount) throw new Error('a refund has more tax than amount');
      ledger.push(refund);
    }
    const refunds = ledgers.flat();
    if (sum('amount', refunds) !== total) throw new Error(`${sum('amount', refunds)} of ${total} was refunded`);
    if (sum('tax', refunds) !== taxes) throw new Error(`${sum('tax', refunds)} of the tax ${taxes} was refunded`);
    seen.orders++;
    seen.units += refunds.length;
    if (scenario.discounts.length > 0) seen.discounted++;
    if (scenario.credits.length > 0) seen.credited++;
    if (scenario.taxes.length > 0) seen.taxed++;
    if (roundingAmount !== 0) seen.rounded++;
    if (scenario.charges.length > 0) seen.shipped++;
    if ([...scenario.discounts, ...scenario.taxes].some(({ place }) => place.on === 'order')) seen.onOrder++;
  };
  t.doesNotThrow(() => fc.assert(fc.property(scenarios, check), { numRuns: runs }));
  t.equal(seen.orders, runs);
  t.ok(
    Object.values(seen).every((count) => count > runs / 10),
    'every kind of order was seen',
  );
  t.comment(seen);
});
