/**
 * The parts of invoices add up to the stored amounts of the order, whatever it sold, and credit notes never take more of
 * any of them than the invoice has.
 */
import { partsOfCharge } from '@carton/tax';
import fc from 'fast-check';
import t from 'tap';
import { type ContentLine, sumsByGroup, totalsOf } from '../content.ts';
import { costOfUnits, creditAll, creditAmount, creditCharges, leftOf } from '../credit-notes/shares.ts';
import { electronicOf } from '../electronic/model.ts';
import { ublOf } from '../electronic/ubl.ts';
import { document } from './documents.ts';
import { brokenRules } from './en16931.ts';
import { adjustment, contentOf, line, type Rows, rowsOf, saleFields, tax } from './sales.ts';

/** Groups as `rates net + tax = gross`. */
const groupsOf = (rows: Rows) =>
  sumsByGroup(contentOf(rows)).map(
    ({ taxes, net, tax, gross }) => `${taxes.map(({ rate }) => rate).join('+')}: ${net} + ${tax} = ${gross}`,
  );

/** Each line as `title net+taxes`, for each part. */
const partsOf = (rows: Rows) =>
  contentOf(rows).lines.map(({ title, parts }) => [title, ...parts.map(({ net, taxes }) => [net, ...taxes].join('+'))]);

t.test('taxes on top, within prices, and none', async (t) => {
  const rows = {
    lines: [line('shirt', 3, 3000), line('book', 1, 1070), line('gift', 1, 400)],
    adjustments: [adjustment('discount', -300, { itemId: 'shirt' }), adjustment('shipping', 490)],
    taxLines: [
      tax(19, 513, { itemId: 'shirt' }),
      tax(7, 70, { itemId: 'book', included: true }),
      tax(19, 93, { shippingCode: 'standard' }),
    ],
  };
  t.strictSame(partsOf(rows), [
    ['shirt', '2700+513'],
    ['book', '1000+70'],
    ['gift', '400'],
    ['standard', '490+93'],
  ]);
  t.strictSame(groupsOf(rows), ['19: 3190 + 606 = 3796', '7: 1000 + 70 = 1070', ': 400 + 0 = 400']);
});

t.test('taxes that apply together have their net amount once', async (t) => {
  const rows = {
    lines: [line('lamp', 1, 10_000), line('book', 1, 5000)],
    adjustments: [],
    taxLines: [tax(5, 500, { itemId: 'lamp' }), tax(9.975, 998, { itemId: 'lamp' }), tax(5, 250, { itemId: 'book' })],
  };
  t.strictSame(groupsOf(rows), ['5+9.975: 10000 + 1498 = 11498', '5: 5000 + 250 = 5250']);
});

t.test('shipping taxed in proportion to the goods is divided as they are', async (t) => {
  const goods = [line('lamp', 1, 3000), line('book', 1, 1000)];
  const within = (rate: number, amount: number, over: object) => tax(rate, amount, { included: true, ...over });
  const rows = {
    lines: goods,
    adjustments: [adjustment('shipping', 400)],
    taxLines: [
      within(19, 479, { itemId: 'lamp' }),
      within(7, 65, { itemId: 'book' }),
      within(19, 48, { shippingCode: 'standard' }),
      within(7, 7, { shippingCode: 'standard' }),
    ],
  };
  t.strictSame(partsOf(rows)[2], ['standard', '252+48', '93+7'], '300 at 19 % and 100 at 7 %');
  t.strictSame(groupsOf(rows), ['19: 2773 + 527 = 3300', '7: 1028 + 72 = 1100']);
});

t.test('shipping is divided also where it contains taxes and goods do not, or the other way round', async (t) => {
  const goods = [line('lamp', 1, 3000), line('book', 1, 1000)];
  const fee = adjustment('shipping', 200, { code: 'cod' });
  const within = { included: true };
  const onTop = {
    lines: goods,
    adjustments: [adjustment('shipping', 500), adjustment('discount', -100, { shippingCode: 'standard' }), fee],
    taxLines: [
      tax(19, 479, { itemId: 'lamp', ...within }),
      tax(7, 65, { itemId: 'book', ...within }),
      tax(19, 57, { shippingCode: 'standard' }),
      tax(7, 7, { shippingCode: 'standard' }),
      tax(19, 29, { shippingCode: 'cod' }),
      tax(7, 4, { shippingCode: 'cod' }),
    ],
  };
  t.strictSame(partsOf(onTop).slice(2), [
    ['standard', '300+57', '100+7'],
    ['cod', '150+29', '50+4'],
  ]);
  t.strictSame(groupsOf(onTop), [
    '19: 2521 + 479 = 3000',
    '7: 935 + 65 = 1000',
    '19: 450 + 86 = 536',
    '7: 150 + 11 = 161',
  ]);
  const contained = {
    lines: goods,
    adjustments: [adjustment('shipping', 400)],
    taxLines: [
      tax(19, 570, { itemId: 'lamp' }),
      tax(7, 70, { itemId: 'book' }),
      tax(19, 48, { shippingCode: 'standard', ...within }),
      tax(7, 7, { shippingCode: 'standard', ...within }),
    ],
  };
  t.strictSame(partsOf(contained)[2], ['standard', '252+48', '93+7']);
  const free = ['lamp', 'book'].map((itemId, at) => adjustment('discount', [-3000, -1000][at] as number, { itemId }));
  const ofFree = { ...onTop, adjustments: [...free, ...onTop.adjustments.slice(0, 2)] };
  const none = onTop.taxLines.slice(0, 4).map((each, at) => (at < 2 ? { ...each, amount: 0 } : each));
  t.strictSame(partsOf({ ...ofFree, taxLines: none })[2], ['standard', '300+57', '100+7'], 'also of free goods');
  const { lines } = contentOf(onTop);
  t.strictSame(
    creditAll(leftOf(lines, [])).map(({ parts }) => parts),
    lines.map(({ parts }) => parts),
    'a credit note of all has the same parts',
  );
  const { content } = document();
  const xml = ublOf(electronicOf({ ...document(), content: { ...content, ...contentOf(onTop) } }));
  t.strictSame(brokenRules(xml), [], 'and it can be said as an electronic invoice');
});

t.test('of equal rates, the unit that cannot be divided is where it was taxed, also with free goods', async (t) => {
  // The lower id comes first in the division, whatever the order of the lines.
  const ofRate = (code: string, id: string, amount: number, over: object) =>
    tax(10, amount, { code, source: { type: 'tax_rate', id }, ...over });
  const free = (itemId: string) => adjustment('discount', -1000, { itemId });
  const rows = {
    lines: [line('lamp', 1, 1000), line('book', 1, 1000)],
    adjustments: [free('lamp'), free('book'), adjustment('shipping', 9)],
    taxLines: [
      ofRate('goods', '2', 0, { itemId: 'lamp' }),
      ofRate('print', '1', 0, { itemId: 'book' }),
      ofRate('goods', '2', 0, { shippingCode: 'standard' }),
      ofRate('print', '1', 1, { shippingCode: 'standard' }),
    ],
  };
  const [goods, print] = [
    { id: '2', rate: 10 },
    { id: '1', rate: 10 },
  ];
  const lines = [goods, print].map((rate) => ({ amount: 0, price: 1000, quantity: 1, rates: [rate] }));
  t.strictSame(partsOfCharge(9, lines), [
    { amount: 5, rates: [print] },
    { amount: 4, rates: [goods] },
  ]);
  t.strictSame(partsOf(rows).at(-1), ['standard', '5+1', '4+0']);
});

t.test('shipping that bears both taxes together is not divided', async (t) => {
  const rows = {
    lines: [line('lamp', 1, 3000), line('book', 1, 1000)],
    adjustments: [adjustment('shipping', 400)],
    taxLines: [
      tax(5, 150, { itemId: 'lamp' }),
      tax(10, 300, { itemId: 'lamp' }),
      tax(5, 50, { itemId: 'book' }),
      tax(5, 20, { shippingCode: 'standard' }),
      tax(10, 40, { shippingCode: 'standard' }),
    ],
  };
  t.strictSame(partsOf(rows)[2], ['standard', '400+40+20']);
  const inProportion = { ...rows, taxLines: [...rows.taxLines.slice(0, 4), tax(10, 30, { shippingCode: 'standard' })] };
  t.strictSame(partsOf(inProportion)[2], ['standard', '300+30+15', '100+5'], 'unless the amounts say so');
});

const scenarios = fc.record({
  ...saleFields,
  steps: fc.array(fc.record({ by: fc.constantFrom('amount', 'units', 'units'), at: fc.nat(50), part: fc.nat(1000) }), {
    maxLength: 12,
  }),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer S> ? S : never;

const sum = (amounts: readonly number[]) => amounts.reduce((all, each) => all + each, 0);

function requireThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

const runs = 1500;

t.test('invoices of random sales add up, and so do their credit notes', async (t) => {
  const seen = {
    sales: 0,
    groups: 0,
    divided: 0,
    dividedUnlike: 0,
    credits: 0,
    rounded: 0,
    byUnits: 0,
    byAmount: 0,
    rests: 0,
  };
  const check = (scenario: Scenario) => {
    const rows = rowsOf(scenario);
    const content = contentOf(rows);
    const { lines } = content;
    const totals = totalsOf(lines);
    const stored = {
      tax: sum(rows.taxLines.map((each) => each.amount)),
      total:
        sum(rows.lines.map((each) => each.totalAmount)) +
        sum(rows.adjustments.map((each) => each.amount)) +
        sum(rows.taxLines.map((each) => (each.included ? 0 : each.amount))) +
        rows.roundingAmount,
      credit: sum(rows.adjustments.map((each) => (each.kind === 'credit' ? each.amount : 0))),
    };
    requireThat(totals.total === stored.total, `the total is ${totals.total} of ${stored.total}`);
    requireThat(totals.tax === stored.tax, `the tax is ${totals.tax} of ${stored.tax}`);
    requireThat(totals.credit === stored.credit, `the credit is ${totals.credit} of ${stored.credit}`);
    requireThat(totals.rounding === rows.roundingAmount, `the rounding is ${totals.rounding}`);
    const groups = sumsByGroup(content);
    for (const name of ['net', 'tax', 'gross'] as const) {
      requireThat(sum(groups.map((group) => group[name])) === totals[name], `the groups' ${name}`);
    }
    for (const group of groups)
      requireThat(sum(group.taxes.map((each) => each.amount)) === group.tax, 'taxes of a group');
    const notes: ContentLine[] = [];
    const creditOf = (note: readonly ContentLine[], expected: number) => {
      requireThat(totalsOf(note).total === expected, `credited ${totalsOf(note).total} instead of ${expected}`);
      notes.push(...note);
      for (const left of leftOf(lines, notes)) {
        requireThat(
          left.quantity >= 0 && left.credit <= 0,
          `${left.title} has ${left.quantity} and ${left.credit} left`,
        );
        for (const { net, taxes } of left.parts)
          requireThat(Math.min(net, ...taxes) >= 0, `${left.title} is below zero`);
      }
    };
    for (const { by, at, part } of scenario.steps) {
      const left = leftOf(lines, notes);
      const rest = totalsOf(left).total;
      if (by === 'amount') {
        const value = Math.floor((rest * part) / 3000);
        if (value > 0) creditOf(creditAmount(left, value), value);
        seen.byAmount++;
        continue;
      }
      const index = at % lines.length;
      const { quantity } = left[index] as ContentLine;
      if (quantity === 0) continue;
      const unit = costOfUnits(lines[index] as ContentLine, left[index] as ContentLine, 1 + (part % quantity));
      creditOf(creditCharges(left, [unit]), unit.amount);
      seen.byUnits++;
    }
    const left = leftOf(lines, notes);
    creditOf(creditAll(left), totalsOf(left).total);
    if (totalsOf(left).total > 0) seen.rests++;
    const credited = totalsOf(notes);
    requireThat(JSON.stringify(credited) === JSON.stringify(totals), 'all credit notes are the invoice');
    seen.sales++;
    if (groups.length > 1) seen.groups++;
    const isDivided = lines.some(({ parts }) => parts.length > 1);
    if (isDivided) seen.divided++;
    if (isDivided && scenario.shippingUnlike) seen.dividedUnlike++;
    if (stored.credit < 0) seen.credits++;
    if (totals.rounding !== 0) seen.rounded++;
  };
  t.doesNotThrow(() => fc.assert(fc.property(scenarios, check), { numRuns: runs }));
  t.equal(seen.sales, runs);
  t.ok(
    Object.values(seen).every((count) => count > runs / 20),
    'every kind was seen',
  );
  t.comment(seen);
});
