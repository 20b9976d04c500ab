/**
 * The totals pipeline: steps add up in their order, and none can break the sums.
 */
import {
  type Adjustment,
  cartTotals,
  findPricedCart,
  type PricedCart,
  priceCart,
  type TotalsDraft,
  type TotalsStep,
  totalsOrder,
} from '@carton/cart';
import t from 'tap';
import { forSale, openBox, sessionOf, shopperWith } from './helpers.ts';

const box = await openBox(t);
const { database } = box.box;
const mounted = database.extensions;

/** Steps as packages that build on cart contribute them. */
function register(...steps: TotalsStep[]): void {
  database.extensions = new Map([...mounted, [cartTotals as never, steps]]);
}
t.afterEach(() => register());

type Step = (draft: TotalsDraft) => Adjustment[];
const step = (name: keyof typeof totalsOrder, adjust: Step): TotalsStep => ({
  name,
  order: totalsOrder[name],
  adjust: (_, draft) => adjust(draft),
});
const amounts = (totals: Record<string, { amount: number }>) =>
  Object.fromEntries(Object.entries(totals).map(([name, { amount }]) => [name, amount]));

const [shirt, socks] = [await forSale(box, { price: 5000 }), await forSale(box, { price: 1000 })];

t.test('steps run in their order, each on what those before have made', async (t) => {
  const seen: [string, number][] = [];
  const look = (name: string, { totals }: TotalsDraft) => seen.push([name, totals.total]);
  register(
    step('credit', (draft) => {
      look('credit', draft);
      return [{ code: 'GIFT', label: 'Gift card', kind: 'credit', amount: -1000 }];
    }),
    step('tax', (draft) => {
      look('tax', draft);
      return draft.lines.map(({ id, discountedTotal }) => ({
        code: 'vat',
        label: 'VAT',
        kind: 'tax',
        amount: discountedTotal / 10,
        lineId: id,
      }));
    }),
    step('shipping', (draft) => {
      look('shipping', draft);
      return [{ code: 'post', label: 'Post', kind: 'shipping', amount: 490 }];
    }),
    step('discount', (draft) => {
      look('discount', draft);
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
    credit: -1000,
    total: 10_490,
  });
  t.strictSame(seen.slice(-4), [
    ['discount', 11_000],
    ['shipping', 10_000],
    ['tax', 10_490],
    ['credit', 11_490],
  ]);
  const [first, second] = body.items;
  t.match(body.adjustments, [
    { code: 'TEN', label: '10% off shirts', kind: 'discount', itemId: first.id, included: false },
    { code: 'post', itemId: null, amount: { amount: 490, currency: 'EUR' } },
    { code: 'vat', itemId: first.id, amount: { amount: 900 } },
    { code: 'vat', itemId: second.id, amount: { amount: 100 } },
    { code: 'GIFT', kind: 'credit', amount: { amount: -1000 } },
  ]);
});

t.test('what stands in for the address and the e-mail of the cart is what is priced', async (t) => {
  const seen: unknown[] = [];
  register(
    step('tax', ({ cart: { shippingAddress, billingAddress, email } }) => {
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
  t.equal(priced.cart, cart, 'the cart itself stays as it is');
});

t.test('a tax that prices hold already is shown and not added', async (t) => {
  register(step('tax', () => [{ code: 'vat', label: 'VAT', kind: 'tax', amount: 160, included: true }]));
  const { body } = await (await shopperWith(box, [socks, 1])).get('/cart');
  t.match(amounts(body.totals), { subtotal: 1000, tax: 160, total: 1000 });
  t.match(body.adjustments, [{ included: true }]);
});

t.test('nothing falls below zero: what is taken off is cut to what there is', async (t) => {
  register(
    step('discount', ({ lines }) => [
      { code: 'A', label: 'Too much off a line', kind: 'discount', amount: -9000, lineId: lines[0]?.id },
      { code: 'B', label: 'And once more', kind: 'discount', amount: -1, lineId: lines[0]?.id },
    ]),
    step('credit', () => [{ code: 'C', label: 'Rich', kind: 'credit', amount: -9000 }]),
  );
  const { body } = await (await shopperWith(box, [shirt, 1], [socks, 1])).get('/cart');
  t.match(amounts(body.totals), { discount: -5000, credit: -1000, total: 0 });
  t.strictSame(
    body.adjustments.map(({ amount }: { amount: { amount: number } }) => amount.amount),
    [-5000, 0, -1000],
  );
});

t.test('a cart in which nothing counts is charged nothing', async (t) => {
  const gone = await forSale(box);
  const shopper = await shopperWith(box, [gone, 1]);
  await gone.price([]);
  register(step('shipping', () => [{ code: 'post', label: 'Post', kind: 'shipping', amount: 490 }]));
  t.match((await shopper.get('/cart')).body, { adjustments: [], totals: { total: { amount: 0 } } });
});

t.test('a step that breaks the rules is named, not believed', async (t) => {
  const base = { code: 'X', label: 'X' } as const;
  const cases: [Adjustment, RegExp][] = [
    [{ ...base, kind: 'shipping', amount: 0.5 }, /has the amount 0.5/],
    [{ ...base, kind: 'shipping', amount: Number.NaN }, /has the amount NaN/],
    [{ ...base, kind: 'tax', amount: 10 ** 16 }, /has the amount/],
    [{ ...base, kind: 'discount', amount: 1 }, /kind discount and has the amount 1/],
    [{ ...base, kind: 'tax', amount: -1 }, /kind tax and has the amount -1/],
    [{ ...base, kind: 'discount', amount: -1, lineId: 'nowhere' }, /of the line nowhere/],
    [{ ...base, kind: 'shipping', amount: 1, included: true }, /included and not a tax/],
  ];
  const { runTotals } = await import('../totals.ts');
  const cart = {
    id: 'c',
    memberId: null,
    regionId: null,
    currency: 'EUR',
    email: null,
    shippingAddress: null,
    billingAddress: null,
  };
  const line = {
    id: 'l',
    variantId: 'v',
    productId: 'p',
    weight: null,
    quantity: 1,
    unitPrice: 10,
    total: 10,
    discountedTotal: 10,
  };
  for (const [adjustment, message] of cases) {
    register(step('tax', () => [adjustment]));
    await t.rejects(runTotals(database.forTenant(box.id), cart, [line]), message);
    await t.rejects(runTotals(database.forTenant(box.id), cart, [line]), /totals step tax: the adjustment X/);
  }
  register(step('tax', () => Array.from({ length: 10 }, () => ({ ...base, kind: 'tax', amount: 10 ** 15 }))));
  await t.rejects(runTotals(database.forTenant(box.id), cart, [line]), /the total is too large/);
});
