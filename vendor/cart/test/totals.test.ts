/**
 * The totals pipeline: steps run in order, and none can break the sums.
 */
import {
  type Adjustment,
  cartTotals,
  findPricedCart,
  type PricedCart,
  priceCart,
  runTotals,
  type Sale,
  type TotalsDraft,
  type TotalsLine,
  type TotalsStep,
  totalsOrder,
} from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { percentOf } from '@carton/runtime';
import { exactly, extendBox } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { forSale, openBox, sessionOf } from './helpers.ts';

const box = await openBox(t);
const { database } = box.box;

/** Steps as packages that build on cart contribute them. */
function register(t: Test, ...steps: TotalsStep[]): void {
  extendBox(
    t,
    box,
    steps.map((step) => cartTotals.with(step)),
  );
}

type Step = (draft: TotalsDraft) => Adjustment[];
const step = (name: keyof typeof totalsOrder, adjust: Step): TotalsStep => ({
  name,
  order: totalsOrder[name],
  adjust,
});
const amounts = (totals: Record<string, { amount: number }>) =>
  Object.fromEntries(Object.entries(totals).map(([name, { amount }]) => [name, amount]));

interface LineSums {
  total: { amount: number };
  discount: { amount: number };
  tax: { amount: number };
}
/** The total, the discounts and the taxes of lines of a cart. */
const lineSums = (items: LineSums[]) =>
  items.map(({ total, discount, tax }) => [total.amount, discount.amount, tax.amount]);

const [shirt, socks, hat] = await Promise.all([5000, 1000, 995].map((price) => forSale(box, { price })));
if (!shirt || !socks || !hat) throw new Error('three products');

t.test('steps run in order, each on the result of the earlier ones', async (t) => {
  const seen: [string, number][] = [];
  const record = (name: string, { totals }: TotalsDraft) => seen.push([name, totals.total]);
  register(
    t,
    step('tax', (draft) => {
      record('tax', draft);
      return draft.lines.map(({ id, discountedTotal }) => ({
        code: 'vat',
        label: 'VAT',
        kind: 'tax',
        rate: 10,
        amount: percentOf(discountedTotal, 10),
        lineId: id,
      }));
    }),
    step('shipping', (draft) => {
      record('shipping', draft);
      return [{ code: 'post', label: 'Post', kind: 'shipping', amount: 490 }];
    }),
    step('discount', (draft) => {
      record('discount', draft);
      const lineId = draft.lines[0]?.id;
      return [{ code: 'TEN', label: '10% off shirts', kind: 'discount', amount: -1000, lineId }];
    }),
  );
  const shopper = await shopperWith(box, [shirt, 2], [socks, 1]);
  const { body } = await shopper.get('/cart');
  t.strictSame(amounts(body.totals), {
    subtotal: 11_000,
    discount: -1000,
    shipping: 490,
    tax: 1000,
    credit: 0,
    rounding: 0,
    total: 11_490,
  });
  t.strictSame(seen.slice(-3), [
    ['discount', 11_000],
    ['shipping', 10_000],
    ['tax', 10_490],
  ]);
  const [first, second] = body.items;
  t.match(
    body.adjustments,
    exactly([
      { code: 'TEN', label: '10% off shirts', kind: 'discount', itemId: first.id, included: false },
      { code: 'post', itemId: null, amount: { amount: 490, currency: 'EUR' } },
      { code: 'vat', itemId: null, rate: 10, amount: { amount: 1000 } },
    ]),
    'those of one code are added up',
  );
  t.strictSame(lineSums([first, second]), [
    [10_000, -1000, 900],
    [1000, 0, 100],
  ]);
});

t.test("an address or e-mail passed to priceCart replaces the cart's", async (t) => {
  const seen: unknown[] = [];
  register(
    t,
    step('tax', ({ sale: { shippingAddress, billingAddress, email } }) => {
      seen.push([shippingAddress?.country, billingAddress?.country, email]);
      return [];
    }),
  );
  const shopper = await shopperWith(box, [socks, 1]);
  await shopper.put('/cart/shipping-address', { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' });
  await shopper.patch('/cart', { email: 'cart@example.com' });
  const db = database.forTenant(box.id);
  const { cart } = (await findPricedCart(db, sessionOf(shopper))) as PricedCart;
  const abroad = { country: 'CH', province: null, postalCode: null };
  seen.length = 0;
  await priceCart(db, cart);
  const priced = await priceCart(db, cart, { shippingAddress: abroad, email: 'other@example.com' });
  await priceCart(db, cart, { shippingAddress: null, billingAddress: abroad, email: null });
  t.strictSame(seen, [
    ['FR', undefined, 'cart@example.com'],
    ['CH', undefined, 'other@example.com'],
    [undefined, 'CH', null],
  ]);
  t.equal(priced.cart, cart, 'the cart itself is unchanged');
});

t.test('an included tax is shown and not added', async (t) => {
  register(
    t,
    step('tax', () => [{ code: 'vat', label: 'VAT', kind: 'tax', amount: 160, included: true }]),
  );
  const { body } = await (await shopperWith(box, [socks, 1])).get('/cart');
  t.match(amounts(body.totals), { subtotal: 1000, tax: 160, total: 1000 });
  t.match(body.adjustments, exactly([{ included: true }]));
});

t.test('discounts are capped, so that nothing falls below zero', async (t) => {
  register(
    t,
    step('discount', ({ lines }) => [
      { code: 'A', label: 'More than the line', kind: 'discount', amount: -9000, lineId: lines[0]?.id },
      { code: 'B', label: 'On a line at zero', kind: 'discount', amount: -1, lineId: lines[0]?.id },
      { code: 'C', label: 'More than the rest', kind: 'discount', amount: -9000 },
    ]),
  );
  const { body } = await (await shopperWith(box, [shirt, 1], [socks, 1])).get('/cart');
  t.match(amounts(body.totals), { discount: -6000, credit: 0, total: 0 });
  t.strictSame(
    body.adjustments.map(({ code, amount }: { code: string; amount: { amount: number } }) => [code, amount.amount]),
    [
      ['A', -5000],
      ['B', 0],
      ['C', -1000],
    ],
  );
});

t.test('a discount on the sale is spread over the lines to the exact minor unit', async (t) => {
  const seen: number[][] = [];
  register(
    t,
    step('discount', () => [{ code: 'ALL', label: 'Off everything', kind: 'discount', amount: -1000 }]),
    step('tax', ({ lines }) => {
      seen.push(lines.map(({ discountedTotal }) => discountedTotal));
      return [];
    }),
  );
  const { body } = await (await shopperWith(box, [shirt, 1], [socks, 1], [hat, 1])).get('/cart');
  t.match(body.adjustments, exactly([{ code: 'ALL', itemId: null, amount: { amount: -1000 } }]));
  t.strictSame(
    lineSums(body.items).map(([, discount]) => discount),
    [-715, -143, -142],
  );
  t.strictSame(seen.at(-1), [4285, 857, 853]);
  t.match(amounts(body.totals), { subtotal: 6995, discount: -1000, total: 5995 });
});

t.test('discounts and taxes on shipping apply to their charge', async (t) => {
  const seen: unknown[] = [];
  register(
    t,
    step('shipping', () => [
      { code: 'post', label: 'Post', kind: 'shipping', amount: 490 },
      { code: 'gift-wrap', label: 'Gift wrap', kind: 'shipping', amount: 300 },
    ]),
    step('shippingDiscount', () => [
      { code: 'FREE', label: 'Free shipping', kind: 'discount', amount: -1000, shippingCode: 'post' },
    ]),
    step('tax', ({ shipping, lines }) => {
      seen.push(shipping, lines[0]?.discountedTotal);
      return shipping.map(({ code, discountedAmount }) => ({
        code: 'vat',
        label: 'VAT',
        kind: 'tax' as const,
        rate: 20,
        amount: percentOf(discountedAmount, 20),
        shippingCode: code,
      }));
    }),
  );
  const { body } = await (await shopperWith(box, [shirt, 1])).get('/cart');
  t.strictSame(seen.slice(-2), [
    [
      { code: 'post', amount: 490, discountedAmount: 0 },
      { code: 'gift-wrap', amount: 300, discountedAmount: 300 },
    ],
    5000,
  ]);
  t.match(amounts(body.totals), { discount: -490, shipping: 790, tax: 60, total: 5360 });
  t.match(
    body.adjustments.slice(2),
    exactly([
      { code: 'FREE', amount: { amount: -490 }, shippingCode: 'post', itemId: null, rate: null },
      { code: 'vat', amount: { amount: 0 }, shippingCode: 'post', rate: 20 },
      { code: 'vat', amount: { amount: 60 }, shippingCode: 'gift-wrap', rate: 20 },
    ]),
  );
});

t.test('a cart without counted lines is charged nothing', async (t) => {
  const unpriced = await forSale(box);
  const shopper = await shopperWith(box, [unpriced, 1]);
  await unpriced.price([]);
  register(
    t,
    step('shipping', () => [{ code: 'post', label: 'Post', kind: 'shipping', amount: 490 }]),
  );
  t.match((await shopper.get('/cart')).body, { adjustments: exactly([]), totals: { total: { amount: 0 } } });
});

t.test('an invalid adjustment is an error that names its step', async (t) => {
  const base = { code: 'X', label: 'X' } as const;
  const line: TotalsLine = {
    id: 'l',
    variantId: 'v',
    productId: 'p',
    taxCategory: null,
    shippingProfile: null,
    properties: {},
    weight: null,
    quantity: 1,
    unitPrice: 10,
    total: 10,
    discountedTotal: 10,
  };
  const sale = { currency: 'EUR', lines: [] } as unknown as Sale;
  const run = (...adjustments: Adjustment[]) =>
    runTotals({ sale, region: null }, [line], [{ name: 'faulty', adjust: () => adjustments }]);
  const tax: Adjustment = { ...base, kind: 'tax', amount: 1 };
  const charge: Adjustment = { ...base, kind: 'shipping', amount: 1 };
  const cases: [Adjustment[], RegExp][] = [
    [[{ ...charge, amount: 0.5 }], /has the amount 0.5/],
    [[{ ...charge, amount: Number.NaN }], /has the amount NaN/],
    [[{ ...tax, amount: 10 ** 16 }], /has the amount/],
    [[{ ...base, kind: 'discount', amount: 1 }], /is a discount of 1$/],
    [[{ ...tax, amount: -1 }], /is a tax of -1$/],
    [[{ ...base, kind: 'discount', amount: -1, lineId: 'nowhere' }], /on the line nowhere/],
    [[{ ...base, kind: 'discount', amount: -1, shippingCode: 'none' }], /on the unknown shipping charge none/],
    [[charge, { ...tax, lineId: 'l', shippingCode: 'X' }], /on both a line and a shipping charge/],
    [[{ ...charge, lineId: 'l' }], /a shipping charge on a line or charge/],
    [[charge, charge], /a duplicate shipping charge/],
    [[{ ...charge, included: true }], /not a tax but is included/],
    [[{ ...charge, rate: 5 }], /not a tax but has a rate/],
    [[{ ...tax, rate: -1 }], /has the rate -1/],
    [[{ ...tax, rate: 1000 }], /has the rate 1000/],
    [[{ ...tax, included: true, lineId: 'l', amount: 11 }], /exceeds the amount that includes it/],
    [[tax, charge], /follows a tax/],
    [[tax, { ...base, kind: 'discount', amount: -1 }], /follows a tax/],
    [Array.from({ length: 10 }, () => ({ ...tax, amount: 10 ** 15 })), /the total is too large/],
  ];
  for (const [adjustments, message] of cases) {
    t.throws(() => run(...adjustments), { message });
    t.throws(() => run(...adjustments), { message: /totals step faulty: the (adjustment X|total)/ });
  }
});
