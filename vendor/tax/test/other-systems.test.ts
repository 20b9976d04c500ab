/**
 * Worked examples from the test suites of other systems, where the rule is the same, each computed by hand again. Left out
 * are examples of rules that differ: taxes rounded per unit (Vendure), and net prices for export (Solidus).
 */
import { type Adjustment, runTotals, type Sale, type TotalsLine } from '@carton/cart';
import { allocate } from '@carton/runtime';
import t from 'tap';
import type { ApplicableRate } from '../rates/applicable.ts';
import { taxesByRates } from '../sales/step.ts';

const rateOf = (rate: number, more: Partial<ApplicableRate> = {}): ApplicableRate => ({
  ...{ id: `${rate} ${more.category}`, code: 'vat', name: 'VAT', rate, province: null, category: null },
  ...{ compound: false, override: false, ...more },
});

interface Example {
  system: string;
  what: string;
  rates: ApplicableRate[];
  included?: boolean;
  /** Unit price, quantity, tax category. */
  lines: [unitPrice: number, quantity?: number, category?: string][];
  /** Discounts on all lines, in order. */
  discounts?: number[];
  shipping?: number;
  shippingCategory?: string;
  /** The sum of the taxes of each line. */
  taxes: number[];
  shippingTax?: number;
  total: number;
}

const mugsAndClothes = [rateOf(23, { category: 'clothes' }), rateOf(10, { category: 'mugs' })];
const german = [rateOf(19), rateOf(7, { category: 'books' })];
const vat = [rateOf(20)];

const examples: Example[] = [
  // Sylius, features/taxation/applying_taxes: rounding on item level.
  {
    system: 'Sylius',
    what: '459.5 rounds up',
    rates: mugsAndClothes,
    lines: [[4595, 1, 'mugs']],
    taxes: [460],
    total: 5055,
  },
  {
    system: 'Sylius',
    what: '459.4 rounds down',
    rates: mugsAndClothes,
    lines: [[4594, 1, 'mugs']],
    taxes: [459],
    total: 5053,
  },
  {
    system: 'Sylius',
    what: 'ten of one',
    rates: mugsAndClothes,
    lines: [[1010, 10, 'clothes']],
    taxes: [2323],
    total: 12423,
  },
  {
    system: 'Sylius',
    what: 'included',
    rates: [rateOf(23)],
    included: true,
    lines: [[10000]],
    taxes: [1870],
    total: 10000,
  },
  // The same, with discounts of the whole order.
  {
    ...{ system: 'Sylius', what: 'a discount first', rates: mugsAndClothes, discounts: [1010] },
    ...{ lines: [[5605, 1, 'mugs']], taxes: [460], total: 5055 },
  },
  {
    // 266 and 744 off: 1734 and 4860
    ...{ system: 'Sylius', what: 'a discount on two rates', rates: mugsAndClothes, discounts: [1010] },
    ...{
      lines: [
        [1000, 2, 'clothes'],
        [5604, 1, 'mugs'],
      ],
      taxes: [399, 486],
      total: 7479,
    },
  },
  {
    // 673 and 337 off, twice: 9864 and 4930
    ...{ system: 'Sylius', what: 'two discounts on one rate', rates: mugsAndClothes, discounts: [1010, 1010] },
    ...{
      lines: [
        [5605, 2, 'mugs'],
        [5604, 1, 'mugs'],
      ],
      taxes: [986, 493],
      total: 16273,
    },
  },
  {
    // 857 and 153 off, then 424 and 76: 4324 and 771
    ...{ system: 'Sylius', what: 'two discounts on two rates', rates: mugsAndClothes, discounts: [1010, 500] },
    ...{
      lines: [
        [5605, 1, 'mugs'],
        [1000, 1, 'clothes'],
      ],
      taxes: [432, 177],
      total: 5704,
    },
  },
  {
    ...{
      system: 'Sylius',
      what: 'included, 426.8 rounds up',
      rates: mugsAndClothes,
      included: true,
      discounts: [1000],
    },
    ...{ lines: [[5695, 1, 'mugs']], taxes: [427], total: 4695 },
  },
  {
    ...{
      system: 'Sylius',
      what: 'included, 426.4 rounds down',
      rates: mugsAndClothes,
      included: true,
      discounts: [1000],
    },
    ...{ lines: [[5690, 1, 'mugs']], taxes: [426], total: 4690 },
  },
  {
    // 260 and 740 off: 1740 and 4950
    ...{ system: 'Sylius', what: 'included, two rates', rates: mugsAndClothes, included: true, discounts: [1000] },
    ...{
      lines: [
        [1000, 2, 'clothes'],
        [5690, 1, 'mugs'],
      ],
      taxes: [325, 450],
      total: 6690,
    },
  },
  {
    // 666 and 334 off, then 667 and 333: 10047 and 5028
    ...{
      system: 'Sylius',
      what: 'included, two discounts',
      rates: mugsAndClothes,
      included: true,
      discounts: [1000, 1000],
    },
    ...{
      lines: [
        [5690, 2, 'mugs'],
        [5695, 1, 'mugs'],
      ],
      taxes: [913, 457],
      total: 15075,
    },
  },
  {
    // 851 and 149 off, then 425 and 75: 4419 and 776
    ...{ system: 'Sylius', what: 'included, both', rates: mugsAndClothes, included: true, discounts: [1000, 500] },
    ...{
      lines: [
        [5695, 1, 'mugs'],
        [1000, 1, 'clothes'],
      ],
      taxes: [402, 145],
      total: 5195,
    },
  },
  // Vendure, order-calculator.spec.ts: single units, where per unit and per line agree.
  { system: 'Vendure', what: 'one unit', rates: vat, lines: [[123]], taxes: [25], total: 148 },
  {
    system: 'Vendure',
    what: 'shipping',
    rates: vat,
    lines: [[100]],
    shipping: 500,
    taxes: [20],
    shippingTax: 100,
    total: 720,
  },
  {
    ...{ system: 'Vendure', what: 'shipping, included', rates: vat, included: true, shipping: 500 },
    ...{ lines: [[100]], taxes: [17], shippingTax: 83, total: 600 },
  },
  { system: 'Vendure', what: 'a discount', rates: vat, lines: [[1230]], discounts: [500], taxes: [146], total: 876 },
  {
    system: 'Vendure',
    what: 'half',
    rates: vat,
    included: true,
    lines: [[100]],
    discounts: [50],
    taxes: [8],
    total: 50,
  },
  {
    ...{ system: 'Vendure', what: 'half of each, one of them untaxed', included: true, discounts: [500] },
    ...{ rates: [rateOf(20, { category: 'standard' }), rateOf(0, { category: 'zero' })] },
    ...{
      lines: [
        [500, 1, 'standard'],
        [500, 1, 'zero'],
      ],
      taxes: [42, 0],
      total: 500,
    },
  },
  {
    ...{ system: 'Vendure', what: 'two rates', rates: [rateOf(4, { code: 'state' }), rateOf(4.5, { code: 'city' })] },
    ...{ lines: [[1000, 2], [3499]], taxes: [170, 297], total: 5966 }, // 80 and 140 for the state, 90 and 157 for the city
  },
  // WooCommerce, tests/legacy/unit-tests/tax/tax.php; fractions of a cent are rounded here.
  { system: 'WooCommerce', what: '166.5', rates: vat, included: true, lines: [[999]], taxes: [167], total: 999 },
  { system: 'WooCommerce', what: '199.8', rates: vat, lines: [[999]], taxes: [200], total: 1199 },
  {
    // 500 and 892.5
    ...{ system: 'WooCommerce', what: 'compound', rates: [rateOf(5), rateOf(8.5, { compound: true })] },
    ...{ lines: [[10000]], taxes: [1393], total: 11393 },
  },
  {
    // 438.9 and 783.4
    ...{ system: 'WooCommerce', what: 'compound, included', rates: [rateOf(5), rateOf(8.5, { compound: true })] },
    ...{ included: true, lines: [[10000]], taxes: [1222], total: 10000 },
  },
  // Solidus, default_tax_spec.rb and taxation_integration_spec.rb
  {
    system: 'Solidus',
    what: 'two lines',
    rates: [rateOf(5)],
    lines: [
      [1000, 3],
      [1000, 3],
    ],
    taxes: [150, 150],
    total: 6300,
  },
  {
    ...{ system: 'Solidus', what: 'two lines, included', rates: [rateOf(5)], included: true },
    ...{
      lines: [
        [1000, 3],
        [1000, 3],
      ],
      taxes: [143, 143],
      total: 6000,
    },
  },
  {
    system: 'Solidus',
    what: 'discounted',
    rates: [rateOf(5)],
    lines: [[1000, 3]],
    discounts: [100],
    taxes: [145],
    total: 3045,
  },
  {
    ...{ system: 'Solidus', what: 'discounted, included', rates: [rateOf(5)], included: true, discounts: [100] },
    ...{ lines: [[1000, 3]], taxes: [138], total: 2900 },
  },
  {
    ...{ system: 'Solidus', what: 'a book and its postage', rates: german, included: true, shippingCategory: 'books' },
    ...{ lines: [[2000, 1, 'books']], shipping: 800, taxes: [131], shippingTax: 52, total: 2800 },
  },
  {
    ...{
      system: 'Solidus',
      what: 'a sweater and its postage',
      rates: german,
      included: true,
      shippingCategory: 'normal',
    },
    ...{ lines: [[3000]], shipping: 1600, taxes: [479], shippingTax: 255, total: 4600 },
  },
  {
    ...{ system: 'Solidus', what: 'a download', rates: german, included: true, shippingCategory: 'digital' },
    ...{ lines: [[1000]], shipping: 200, taxes: [160], shippingTax: 32, total: 1200 },
  },
  // Saleor, test_calculations.py and test_xero_consistency.py
  { system: 'Saleor', what: 'on top', rates: [rateOf(23)], lines: [[1000]], taxes: [230], total: 1230 },
  { system: 'Saleor', what: 'within', rates: [rateOf(23)], included: true, lines: [[1000]], taxes: [187], total: 1000 },
  {
    system: 'Saleor',
    what: '301.5, not 101 for each',
    rates: [rateOf(10)],
    lines: [[1005, 3]],
    taxes: [302],
    total: 3317,
  },
];

function totalsOf({ rates, included = false, lines, discounts = [], shipping, shippingCategory }: Example) {
  const saleLines = lines.map(([unitPrice, quantity = 1, taxCategory], at): TotalsLine => {
    const total = unitPrice * quantity;
    return {
      ...{
        id: String(at),
        variantId: null,
        productId: null,
        taxCategory: taxCategory ?? null,
        shippingProfile: null,
        properties: {},
        weight: null,
      },
      ...{ quantity, unitPrice, total, discountedTotal: total },
    };
  });
  const off = discounts.map(
    (amount, at): Adjustment => ({ code: `${at}`, label: 'Off', kind: 'discount', amount: -amount }),
  );
  const post: Adjustment[] = shipping ? [{ code: 'post', label: 'Post', kind: 'shipping', amount: shipping }] : [];
  const read = {
    rates,
    settings: { roundPer: 'line' as const, rounding: 'half_up' as const, shippingCategory: shippingCategory ?? null },
    isExempt: false,
  };
  const sale = { currency: 'EUR', lines: [] } as unknown as Sale;
  return runTotals({ sale, region: { id: 'region', taxInclusive: included } }, saleLines, [
    { name: 'discount', adjust: () => off },
    { name: 'shipping', adjust: () => post },
    { name: 'tax', adjust: (draft) => taxesByRates(draft, read) },
  ]);
}

t.test('taxes of other systems', async (t) => {
  for (const example of examples) {
    const { adjustments, totals } = totalsOf(example);
    const taxOf = (isOf: (adjustment: Adjustment) => boolean) =>
      adjustments.reduce((sum, each) => sum + (each.kind === 'tax' && isOf(each) ? each.amount : 0), 0);
    const taxes = example.lines.map((_, at) => taxOf(({ lineId }) => lineId === String(at)));
    const shippingTax = taxOf(({ shippingCode }) => shippingCode === 'post');
    const { system, what, shippingTax: expected = 0, total } = example;
    t.strictSame([taxes, shippingTax, totals.total], [example.taxes, expected, total], `${system}: ${what}`);
  }
});

t.test('a discount is divided as in Vendure (prorate.spec.ts)', async (t) => {
  const cases: [weights: number[], amount: number, shares: number[]][] = [
    [[123], 300, [300]],
    [[4000, 2000, 2000], 300, [150, 75, 75]],
    [[4000, 2000, 2000], -300, [-150, -75, -75]],
    [[4300, 1400, 2300], 299, [161, 52, 86]],
    [[1000, 1000, 1000], 299, [100, 100, 99]],
    [[10, 20, 10, 30, 50, 20, 10, 40], 95, [5, 10, 5, 15, 25, 10, 5, 20]],
    [[10, 20, 10, 30, 50, 20, 10, 40], 93, [5, 10, 5, 15, 24, 10, 5, 19]],
    [[10, 0], 40, [40, 0]],
    [[100, 100], -20, [-10, -10]],
  ];
  for (const [weights, amount, shares] of cases)
    t.strictSame(allocate(amount, weights), shares, `${amount} of ${weights}`);
});
