/**
 * Worked examples from the test suites of other systems, where the rule is the same, each computed by hand again, through
 * the steps of promotions, shipping and taxes. Left out are examples of rules that differ: exclusive promotions that win
 * with a lower priority and minimums after discounts (Sylius), percentages of the price before other discounts and
 * rounded for each line, and fixed amounts off each unit (WooCommerce).
 */
import t from 'tap';
import { type Scenario, scenarioOf } from '../money/scenario.ts';
import { totalsOf } from '../money/totals.ts';

const currency = 'EUR';
type Promotion = NonNullable<Scenario['promotions'][number]['promotion']>;

interface Example {
  system: string;
  rule: string;
  /** Unit price and quantity. */
  lines: [unitPrice: number, quantity?: number][];
  /** In order of priority. */
  promotions?: (Pick<Promotion, 'discount'> & Partial<Pick<Promotion, 'exclusive' | 'priority'>>)[];
  /** A flat option. */
  shipping?: number;
  /** Per cent, on top of prices. */
  tax?: number;
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
];

const noRules: Promotion['rules'] = {
  ...{ conditions: [], appliesTo: 'qualifying', minimumAmounts: [], minimumQuantity: 0 },
  ...{ regionIds: [], membersOnly: false, firstOrder: false },
};

function scenarioFor({ lines, promotions = [], shipping, tax }: Example): Scenario {
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
  const rate = {
    id: 'rate',
    code: 'vat',
    name: 'VAT',
    province: null,
    category: null,
    compound: false,
    override: false,
  };
  return {
    ...{ seed: 0, currency, taxInclusive: false, roundPer: 'line', shippingCategory: null },
    lines: lines.map(([unitPrice, quantity = 1], at) => {
      const total = unitPrice * quantity;
      const own = { id: `line ${at}`, variantId: null, productId: null, taxCategory: null, shippingProfile: null };
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
    rates: tax === undefined ? [] : [{ ...rate, rate: tax }],
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
