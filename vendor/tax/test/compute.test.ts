/**
 * Which rates apply, and what they amount to: worked examples, computed by hand.
 */
import { provinceKey } from '@carton/runtime';
import t from 'tap';
import { type ApplicableRate, ratesOf } from '../rates/applicable.ts';
import { partsOfCharge, type TaxRules, taxesOf } from '../sales/compute.ts';

const rateOf = (code: string, rate: number, more: Partial<ApplicableRate> = {}): ApplicableRate => ({
  ...{ id: `${code} ${rate} ${JSON.stringify(more)}`, code, name: code, rate, province: null, category: null },
  ...{ compound: false, override: false, ...more },
});

t.test('the rates of a category replace those without one, in the country and in the province by itself', async (t) => {
  const [gst, gstOfBooks] = [rateOf('gst', 5), rateOf('gst', 2, { category: 'books' })];
  const qst = rateOf('qst', 9.975, { province: 'QC' });
  const qstOfBooks = rateOf('qst', 0, { province: 'QC', category: 'books' });
  const city = rateOf('city', 1, { province: 'QC' });
  const igic = rateOf('igic', 7, { province: 'TF', override: true });
  const igicOfBooks = rateOf('igic', 3, { province: 'TF', category: 'books', override: true });
  const cases: [what: string, rates: ApplicableRate[], category: string | null, applied: ApplicableRate[]][] = [
    ['nothing', [], null, []],
    ['the default category', [gst, gstOfBooks], null, [gst]],
    ['a category with a rate', [gst, gstOfBooks], 'books', [gstOfBooks]],
    ['a category without a rate', [gst, gstOfBooks], 'toys', [gst]],
    ['only a rate of another category', [gstOfBooks], 'toys', []],
    ['a province adds to its country', [gst, qst], null, [gst, qst]],
    ['several rates of a province', [gst, qst, city], null, [gst, qst, city]],
    ['a category in the province only', [gst, qst, qstOfBooks], 'books', [gst, qstOfBooks]],
    ['a category replaces all rates of its place', [gst, qst, city, qstOfBooks], 'books', [gst, qstOfBooks]],
    ['a category in the country only', [gst, gstOfBooks, qst], 'books', [gstOfBooks, qst]],
    ['an override', [gst, igic], null, [igic]],
    ['an override without the category removes the rate of the category', [gst, gstOfBooks, igic], 'books', [igic]],
    ['an override of another category', [gst, igicOfBooks], null, [gst]],
    ['an override of the category', [gst, gstOfBooks, igicOfBooks], 'books', [igicOfBooks]],
  ];
  for (const [what, rates, category, applied] of cases) t.strictSame(ratesOf(rates, category), applied, what);
  const eco = rateOf('eco', 1, { compound: true });
  t.strictSame(ratesOf([eco, gst, qst], null), [gst, qst, eco], 'compound rates come last');
});

t.test('provinces are compared by code or name, without case and accents, with or without their country', async (t) => {
  const cases: [country: string | undefined, province: string, key: string][] = [
    ['CA', 'QC', 'QC'],
    ['CA', ' qc', 'QC'],
    ['CA', 'ca-qc', 'QC'],
    ['FR', 'CA-QC', 'CA-QC'],
    [undefined, 'CA-QC', 'CA-QC'],
    ['CA', 'CA-', 'CA-'],
    ['CA', ' qu\u00e9bec ', 'QC'],
    ['CA', 'Quebec', 'QC'],
    ['FR', 'Rho\u0302ne', '69'],
    [undefined, 'Rho\u0302ne', 'RH\u00d4NE'],
    ['US', 'CA', 'CA'],
    ['AZ', 'Bak\u0131', 'BA'],
    ['ES', 'La Rioja', 'LO'],
    ['DE', 'Bavaria', 'BY'],
    ['DE', 'Atlantis', 'ATLANTIS'],
  ];
  for (const [country, province, key] of cases) t.equal(provinceKey(country, province), key, province);
});

const onTop: TaxRules = { included: false, roundPer: 'line', rounding: 'half_up' };
const within: TaxRules = { ...onTop, included: true };
const ofTotal = (rules: TaxRules): TaxRules => ({ ...rules, roundPer: 'total' });

const [standard, reduced] = [rateOf('vat', 19), rateOf('vat', 7)];
const quebec = [rateOf('gst', 5), rateOf('qst', 9.975)];
const stacked = [rateOf('gst', 5), rateOf('qst', 9.5, { compound: true })];

t.test('worked examples', async (t) => {
  const cases: [rules: TaxRules, amounts: [number, ApplicableRate[]][], taxes: number[][]][] = [
    // 379.81; 69.93
    [
      onTop,
      [
        [1999, [standard]],
        [999, [reduced]],
      ],
      [[380], [70]],
    ],
    // 0.5 and 1.5 are rounded up.
    [
      onTop,
      [
        [10, [rateOf('a', 5)]],
        [30, [rateOf('a', 5)]],
      ],
      [[1], [2]],
    ],
    // 50; 99.75
    [onTop, [[1000, quebec]], [[50, 100]]],
    // 500; 9.5 % of 10500 is 997.5
    [onTop, [[10_000, stacked]], [[500, 998]]],
    // 0.3 and 9.5 % of 6.3, not of the rounded 6: 0.5985
    [onTop, [[6, stacked]], [[0, 1]]],
    // Two compound rates apply to the same base: 10 % of 110 is 11, 20 % of 110 is 22.
    [
      onTop,
      [[100, [rateOf('a', 10), rateOf('b', 10, { compound: true }), rateOf('c', 20, { compound: true })]]],
      [[10, 11, 22]],
    ],
    [
      onTop,
      [
        [1000, []],
        [1000, [rateOf('zero', 0)]],
        [0, quebec],
      ],
      [[], [0], [0, 0]],
    ],
    // 1999 × 19 / 119 = 319.17
    [within, [[1999, [standard]]], [[319]]],
    // 11498 × 14.975 / 114.975 = 1497.57; of 1498, 500.17 and 997.83
    [within, [[11_498, quebec]], [[500, 998]]],
    // 1.05 × 1.095 is 1.14975 again.
    [within, [[11_498, stacked]], [[500, 998]]],
    // Half of 1 at 100 %; two rates of 100 % in 1 cannot be more than 1: 0.67
    [
      within,
      [
        [1, [rateOf('a', 100)]],
        [1, [rateOf('a', 100), rateOf('b', 100)]],
      ],
      [[1], [1, 0]],
    ],
    // 0.5 each; 1.5 for all
    [onTop, Array(3).fill([50, [rateOf('a', 1)]]), [[1], [1], [1]]],
    [ofTotal(onTop), Array(3).fill([50, [rateOf('a', 1)]]), [[1], [1], [0]]],
    // 0.495 each; 1.485 for all
    [within, Array(3).fill([50, [rateOf('a', 1)]]), [[0], [0], [0]]],
    [ofTotal(within), Array(3).fill([50, [rateOf('a', 1)]]), [[1], [0], [0]]],
    // gst: 5 % of 21 is 1.05, of which 0.5 and 0.55; qst: 9.975 % of 11 is 1.1
    [
      ofTotal(onTop),
      [
        [10, [quebec[0] as ApplicableRate]],
        [11, quebec],
      ],
      [[0], [1, 1]],
    ],
    // 100 × 14.975 / 114.975 = 13.02; by line 4.29, 4.29 and 4.42; gst 4.34, qst 8.66
    [
      ofTotal(within),
      [
        [33, quebec],
        [33, quebec],
        [34, quebec],
      ],
      [
        [1, 3],
        [1, 3],
        [2, 3],
      ],
    ],
    // 40 × 14.975 / 114.975 = 5.21; by line 1; gst 1.67, qst 3.33
    [
      ofTotal(within),
      Array(5).fill([8, quebec]),
      [
        [0, 1],
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ],
    ],
    // The largest amounts are exact.
    [onTop, [[1_000_000_000_000_000, [rateOf('a', 99.99999)]]], [[999_999_900_000_000]]],
  ];
  for (const [rules, amounts, taxes] of cases) {
    const taxables = amounts.map(([amount, rates]) => ({ amount, rates }));
    t.strictSame(taxesOf(taxables, rules), taxes, `${JSON.stringify(rules)} ${amounts.map(([amount]) => amount)}`);
  }
});

t.test('a fraction is rounded as the store says', async (t) => {
  const [half, most] = [rateOf('a', 5), rateOf('b', 19)];
  const cases: [included: boolean, amount: number, rates: ApplicableRate[], half_down: number[], down: number[]][] = [
    // 0.5 and 1.5
    [false, 10, [half], [0], [0]],
    [false, 30, [half], [1], [1]],
    // 379.81; 319.17
    [false, 1999, [most], [380], [379]],
    [true, 1999, [most], [319], [319]],
    // 1 × 100 / 200 is half a unit.
    [true, 1, [rateOf('c', 100)], [0], [0]],
    // 50; 99.75
    [false, 1000, quebec, [50, 100], [50, 99]],
    // 1497.57 in sum, then divided: 499.83 and 997.17 of 1497
    [true, 11_498, quebec, [500, 998], [500, 997]],
  ];
  for (const [included, amount, rates, halfDown, down] of cases) {
    const taxesBy = (rounding: TaxRules['rounding'], roundPer: TaxRules['roundPer']) =>
      taxesOf([{ amount, rates }], { included, roundPer, rounding });
    for (const roundPer of ['line', 'total'] as const) {
      t.strictSame(taxesBy('half_down', roundPer), [halfDown], `${amount} half down, ${roundPer}`);
      t.strictSame(taxesBy('down', roundPer), [down], `${amount} down, ${roundPer}`);
    }
  }
  // 0.57 each; 1.71 for all
  const three = Array(3).fill({ amount: 3, rates: [most] });
  t.strictSame(taxesOf(three, { ...ofTotal(onTop), rounding: 'down' }), [[1], [0], [0]]);
});

t.test('the tax of one unit is rounded, times the units', async (t) => {
  const rates = [rateOf('vat', 19)];
  const cases: [included: boolean, amount: number, quantity: number, taxes: number[]][] = [
    // 9.5 of each
    [false, 150, 3, [30]],
    // 67, 67 and 66 have 12.73, 12.73 and 12.54
    [false, 200, 3, [39]],
    // 7 and 6 have 1.33 and 1.14, 8 and 8 have 1.52 each
    [false, 13, 2, [2]],
    [false, 16, 2, [4]],
    // 15.97 of each
    [true, 300, 3, [48]],
    // 3 has 0.48, 4 has 0.64
    [true, 3, 1, [0]],
    [true, 7, 2, [1]],
    [true, 1, 2, [0]],
    [false, 0, 4, [0]],
  ];
  for (const [included, amount, quantity, taxes] of cases) {
    const rules = { included, roundPer: 'unit', rounding: 'half_up' } as const;
    t.strictSame(taxesOf([{ amount, quantity, rates }], rules), [taxes], `${amount} for ${quantity}`);
  }
  const perUnit = { included: false, roundPer: 'unit', rounding: 'down' } as const;
  t.strictSame(taxesOf([{ amount: 150, quantity: 3, rates }], perUnit), [[27]]);
  t.strictSame(taxesOf([{ amount: 1999, rates }], perUnit), [[379]], 'a charge is one unit');
  // Within 100: 13.02, of which 4.34 and 8.66
  const within = { included: true, roundPer: 'unit', rounding: 'half_up' } as const;
  t.strictSame(taxesOf([{ amount: 300, quantity: 3, rates: quebec }], within), [[12, 27]]);
});

t.test('shipping is divided among the rates of the goods', async (t) => {
  const goods = (...pairs: [amount: number, ApplicableRate[], price?: number, quantity?: number][]) =>
    pairs.map(([amount, rates, price = amount, quantity = 1]) => ({ amount, rates, price, quantity }));
  // 367.5 and 122.5: the odd unit goes to the higher rate.
  t.strictSame(partsOfCharge(490, goods([2000, [standard]], [1000, [reduced]], [1000, [standard]])), [
    { amount: 368, rates: [standard] },
    { amount: 122, rates: [reduced] },
  ]);
  // All goods are free: by their prices before discounts, or by their quantities.
  const free = goods([0, [reduced], 1000, 1], [0, [standard], 3000, 1], [0, [reduced], 0, 2]);
  t.strictSame(partsOfCharge(490, free), [
    { amount: 368, rates: [standard] },
    { amount: 122, rates: [reduced] },
  ]);
  const gifts = goods([0, [reduced], 0, 3], [0, [standard], 0, 1]);
  t.strictSame(partsOfCharge(490, gifts), [
    { amount: 123, rates: [standard] },
    { amount: 367, rates: [reduced] },
  ]);
  for (const each of [free, gifts]) {
    t.strictSame(partsOfCharge(490, each.toReversed()), partsOfCharge(490, each), 'in any order');
  }
  t.strictSame(partsOfCharge(490, goods([1000, []])), [{ amount: 490, rates: [] }]);
});
