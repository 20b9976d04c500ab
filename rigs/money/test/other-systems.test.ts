/**
 * Worked examples from the test suites of other systems, where the rule is the same, each computed by hand again, through
 * the steps of promotions, shipping and taxes. Left out are examples of rules that differ: exclusive promotions that win
 * with a lower priority and minimums after discounts (Sylius), percentages of the price before other discounts and
 * rounded for each line, fixed amounts off each unit (WooCommerce), and percentages rounded for each unit (Saleor).
 */
import t from 'tap';
import { type Scenario, scenarioOf } from '../scenario.ts';
import { totalsOf } from '../totals.ts';

const currency = 'EUR';
type Promotion = NonNullable<Scenario['promotions'][number]['promotion']>;

interface Example {
  system: string;
  rule: string;
  lines: [unitPrice: number, quantity?: number, taxCategory?: string][];
  /** In order of priority. */
  promotions?: (Pick<Promotion, 'discount'> & Partial<Pick<Promotion, 'exclusive' | 'priority'>>)[];
  /** A flat option. */
  shipping?: number;
  /** Per cent, or that of each tax category. */
  tax?: number | Record<string, number>;
  /** Taxes are included in prices, not on top of them. */
  included?: boolean;
  /** What is left of each line. */
  left?: number[];
  total: number;
}

const percent = (value: number) => ({ discount: { kind: 'percent' as const, percent: value } });
const fixed = (amount: number) => ({ discount: { kind: 'fixed' as const, amounts: [{ amount, currency }] } });
const freeShipping = { discount: { kind: 'free_shipping' as const } };
const sylius = 'Sylius';
const wooCommerce = 'WooCommerce';
const solidus = 'Solidus';
const vendure = 'Vendure';
const categories = { standard: 20, reduced: 10 };

const examples: Example[] = [
  // Sylius, features/promotion/receiving_discount: priorities, fixed discounts, shipping.
  {
    ...{ system: sylius, rule: '20 % first, then 10.00', lines: [[10_000]], promotions: [percent(20), fixed(1000)] },
    total: 7000, // 100.00 − 20.00 − 10.00
  },
  {
    ...{ system: sylius, rule: '10.00 first, then 20 %', lines: [[10_000]], promotions: [fixed(1000), percent(20)] },
    total: 7200, // 20 % of 90.00 is 18.00
  },
  {
    ...{ system: sylius, rule: 'of two exclusive promotions, the higher priority', lines: [[10_000]] },
    promotions: [
      { ...fixed(1000), exclusive: true, priority: 5 },
      { ...percent(20), exclusive: true, priority: 2 },
    ],
    total: 9000,
  },
  {
    ...{ system: sylius, rule: 'a fixed discount of all goods', lines: [[10_000], [600]], promotions: [fixed(10_600)] },
    ...{ left: [0, 0], total: 0 },
  },
  {
    ...{
      system: sylius,
      rule: 'a fixed discount of more than the goods',
      lines: [[10_000]],
      promotions: [fixed(20_000)],
    },
    total: 0,
  },
  {
    ...{ system: sylius, rule: 'a discount does not affect shipping', lines: [[10_000]], promotions: [fixed(1000)] },
    ...{ shipping: 1000, total: 10_000 },
  },
  {
    ...{ system: sylius, rule: 'free shipping', lines: [[10_000]], promotions: [freeShipping], shipping: 1000 },
    total: 10_000,
  },
  {
    ...{
      system: sylius,
      rule: '50 % and free shipping',
      lines: [[12_000, 2]],
      promotions: [percent(50), freeShipping],
    },
    ...{ shipping: 1000, total: 12_000 },
  },
  // Solidus, DistributedAmountsHandler: an amount divided in proportion to prices. Which line gets the remainder differs.
  { system: solidus, rule: 'one line', lines: [[10_000]], promotions: [fixed(1500)], left: [8500], total: 8500 },
  {
    ...{ system: solidus, rule: 'equal lines', lines: [[5000], [5000], [5000]], promotions: [fixed(1500)] },
    ...{ left: [4500, 4500, 4500], total: 13_500 },
  },
  {
    ...{ system: solidus, rule: 'a remainder', lines: [[5000], [5000], [5000]], promotions: [fixed(1000)] },
    ...{ left: [4666, 4667, 4667], total: 14_000 }, // 3.34, 3.33, 3.33
  },
  {
    ...{ system: solidus, rule: 'other quantities', lines: [[5000, 3], [5000], [5000, 2]], promotions: [fixed(1500)] },
    ...{ left: [14_250, 4750, 9500], total: 28_500 }, // 7.50, 2.50, 5.00
  },
  // WooCommerce, WC_Tests_Discounts: 20 % tax on top.
  {
    ...{ system: wooCommerce, rule: '20 %', lines: [[1000]], promotions: [percent(20)], tax: 20 },
    ...{ left: [800], total: 960 },
  },
  {
    ...{ system: wooCommerce, rule: '10.00 off two units', lines: [[1000, 2]], promotions: [fixed(1000)], tax: 20 },
    ...{ left: [1000], total: 1200 },
  },
  {
    ...{
      system: wooCommerce,
      rule: '10.00 off three lines',
      lines: [[1000], [1000], [1000]],
      promotions: [fixed(1000)],
    },
    ...{ tax: 20, left: [666, 667, 667], total: 2399 }, // 133.2, 133.4 and 133.4 of tax: 1.33 each
  },
  {
    ...{
      system: wooCommerce,
      rule: '10.00 off seven units',
      lines: [
        [1000, 2],
        [1000, 3],
        [1000, 2],
      ],
    },
    ...{ promotions: [fixed(1000)], tax: 20, left: [1714, 2572, 1714], total: 7200 }, // 285.7, 428.6, 285.7
  },
  {
    ...{ system: wooCommerce, rule: '1.00 off three lines of 1.00', lines: [[100], [100], [100]] },
    ...{ promotions: [fixed(100)], left: [66, 67, 67], total: 200 },
  },
  {
    ...{ system: wooCommerce, rule: '10 %, then 20 % of what is left', lines: [[1000, 2], [500]] },
    ...{ promotions: [percent(10), percent(20)], left: [1440, 360], total: 1800 }, // 2.50 and 4.50: 7.00
  },
  // Vendure, order-calculator.spec.ts: 20 % tax, 10 % for the reduced category.
  { system: vendure, rule: '10 %', lines: [[500, 2]], promotions: [percent(10)], tax: 20, left: [900], total: 1080 },
  {
    ...{ system: vendure, rule: '50 %, then 10 %', lines: [[800, 3]], promotions: [percent(50), percent(10)], tax: 20 },
    ...{ left: [1080], total: 1296 },
  },
  {
    ...{ system: vendure, rule: '50 %, then 10 %, tax included', lines: [[800, 3]], tax: 20, included: true },
    ...{ promotions: [percent(50), percent(10)], total: 1080 },
  },
  {
    ...{ system: vendure, rule: '10 % twice', lines: [[155_880]], promotions: [percent(10), percent(10)], tax: 20 },
    ...{ left: [126_263], total: 151_516 }, // 14029.2 of 140292, then 25252.6 of tax
  },
  {
    ...{ system: vendure, rule: '10 % twice, tax included', lines: [[155_880]], tax: 20, included: true },
    ...{ promotions: [percent(10), percent(10)], total: 126_263 },
  },
  {
    ...{ system: vendure, rule: '5.00 off goods of two tax rates, included', tax: categories, included: true },
    lines: [
      [2000, 1, 'standard'],
      [1000, 2, 'reduced'],
    ],
    ...{ promotions: [fixed(500)], left: [1750, 1750], total: 3500 },
  },
  {
    ...{ system: vendure, rule: '5.00 off goods of two tax rates, the first reduced from 10.00', tax: categories },
    lines: [
      [850, 2, 'standard'],
      [3499, 1, 'reduced'],
      [255, 4, 'reduced'],
    ],
    ...{ promotions: [fixed(500)], left: [1563, 3218, 938], total: 6448 }, // 312.6, 321.8 and 93.8 of tax
  },
  {
    ...{ system: vendure, rule: 'free shipping, tax included', lines: [[100]], promotions: [freeShipping] },
    ...{ shipping: 500, tax: 20, included: true, total: 100 },
  },
  // Saleor, test_rounding_issue.py: the column of a discount on the total price.
  {
    ...{ system: 'Saleor', rule: '10 % of the sum, not of each line', lines: [[106], [206], [306], [406]] },
    ...{ promotions: [percent(10)], left: [95, 185, 276, 366], total: 922 }, // 10.56, 20.52, 30.48 and 40.44 of 102
  },
];

const noRules: Promotion['rules'] = {
  ...{ conditions: [], appliesTo: 'qualifying', minimumAmounts: [], minimumQuantity: 0 },
  ...{ regionIds: [], membersOnly: false, firstOrder: false },
};

function scenarioFor({ lines, promotions = [], shipping, tax = {}, included = false }: Example): Scenario {
  const any = scenarioOf(1);
  const option = {
    id: 'option',
    code: 'post',
    name: 'Post',
    type: 'flat',
    zoneId: null,
    zoneName: null,
    carrierService: null,
    profile: null,
  };
  const vat = {
    id: 'rate',
    code: 'vat',
    name: 'VAT',
    province: null,
    category: null,
    compound: false,
    override: false,
  };
  return {
    ...{
      seed: 0,
      currency,
      taxInclusive: included,
      shippingTaxInclusive: null,
      roundPer: 'line',
      rounding: 'half_up',
      shippingCategory: null,
    },
    lines: lines.map(([unitPrice, quantity = 1, taxCategory = null], at) => {
      const total = unitPrice * quantity;
      const own = { id: `line ${at}`, variantId: null, productId: null, taxCategory, shippingProfile: null };
      return { ...own, properties: {}, weight: null, quantity, unitPrice, total, discountedTotal: total };
    }),
    promotions: promotions.map(({ discount, exclusive = false, priority = 0 }, at) => ({
      ...{ code: null, unusable: null, hasOrdered: false },
      promotion: {
        ...{ id: `promotion ${at}`, label: 'Offer', priority, exclusive, discount, rules: noRules },
        maxUsesPerCustomer: null,
      },
    })),
    shipping: {
      ...any.shipping,
      options:
        shipping === undefined
          ? []
          : [{ ...option, freeFrom: [], rates: [{ currency, from: 0, to: null, amount: shipping }] }],
      chosen: shipping === undefined ? [] : [{ profile: null, optionId: 'option', pickupLocationId: null }],
    },
    payment: null,
    roundTo: 1,
    rates:
      typeof tax === 'number'
        ? [{ ...vat, rate: tax }]
        : Object.entries(tax).map(([category, rate]) => ({ ...vat, id: category, category, rate })),
  };
}

for (const example of examples) {
  const { system, rule, left, total } = example;
  t.test(`${system}: ${rule}`, async (t) => {
    const draft = totalsOf(scenarioFor(example));
    if (left)
      t.strictSame(
        draft.lines.map(({ discountedTotal }) => discountedTotal),
        left,
      );
    t.equal(draft.totals.total, total);
  });
}
