/**
 * A cart, its checkout, its order, the order's invoice and credit notes show the same amounts, whatever the order of the
 * lines: arbitrary carts in which units and cents fall to one of several equal lines. `CART_RUNS` says how many.
 */
import { type Article, createForSale } from '@carton/cart/testing';
import { bodyOf, type Caller, createTestBox, type TestTenant } from '@carton/runtime/testing';
import fc from 'fast-check';
import t from 'tap';

const runs = Number(process.env.CART_RUNS ?? 60);
const cartsPerStore = 6;

const box = await createTestBox(t);
const buyer = { customer: { email: 'ada@example.com' } };
const amountOf = ({ amount }: { amount: number }) => amount;
type Totals = Record<
  'subtotal' | 'discount' | 'shipping' | 'tax' | 'credit' | 'rounding' | 'total',
  { amount: number }
>;
const amountsOf = (totals: Totals) =>
  Object.fromEntries(Object.entries(totals).map(([name, of]) => [name, amountOf(of)]));

/** Categories of goods with a rate each; null has the rate without a category. */
const categories = ['reduced', 'zero', null] as const;
type Goods = { price: number; category: (typeof categories)[number] };

interface Store {
  /** Of the tenants' goods: with ties, and free ones. */
  goods: Goods[];
  taxInclusive: boolean;
  shippingTaxInclusive: boolean | null;
  roundPer: 'unit' | 'line' | 'total';
  rounding: 'half_up' | 'half_down' | 'down';
  /** Of what totals are multiples, in minor units. */
  roundTo: number;
  shippingCategory: 'reduced' | null;
  shipping: number;
  promotions: Record<string, unknown>[];
}

const allConditions = { getConditions: null, maxSets: null };
const promotion = fc.oneof(
  fc.constantFrom(1, 33, 50, 100).map((percent) => ({ kind: 'percent', percent })),
  fc.constantFrom(1, 101, 997, 5000).map((amount) => ({ kind: 'fixed', amounts: [{ amount, currency: 'EUR' }] })),
  fc
    .constantFrom(50, 100)
    .map((percent) => ({ kind: 'buy_x_get_y', buyQuantity: 1, getQuantity: 1, percent, ...allConditions })),
  fc.constantFrom(1, 999).map((amount) => ({ kind: 'fixed_per_unit', amounts: [{ amount, currency: 'EUR' }] })),
  fc.constantFrom('cheapest', 'dearest').map((first) => ({
    ...{ kind: 'percent', percent: 100, base: 'price', maxUnits: { count: 1, per: 'order', first } },
  })),
  fc.constant({ kind: 'free_shipping' }),
  fc.constantFrom(33, 50).map((percent) => ({
    ...{ kind: 'shipping_percent', percent, maxAmounts: [{ amount: 200, currency: 'EUR' }] },
  })),
  fc.constantFrom(1, 500).map((amount) => ({ kind: 'shipping_fixed', amounts: [{ amount, currency: 'EUR' }] })),
);
const store: fc.Arbitrary<Store> = fc.record({
  goods: fc.array(
    fc.record({ price: fc.constantFrom(0, 1, 333, 1000, 1000, 1003, 1003), category: fc.constantFrom(...categories) }),
    { minLength: 4, maxLength: 4 },
  ),
  taxInclusive: fc.boolean(),
  roundPer: fc.constantFrom('unit', 'line', 'total'),
  rounding: fc.constantFrom('half_up', 'half_down', 'down'),
  roundTo: fc.constantFrom(1, 5, 50),
  shippingCategory: fc.constantFrom(null, null, 'reduced'),
  shipping: fc.constantFrom(0, 1, 499, 5000),
  promotions: fc.array(promotion, { maxLength: 3 }),
  shippingTaxInclusive: fc.constantFrom(null, true, false),
});
/** Positions of the goods in the order in which they are added, with quantities; twice the same adds to a line. */
const cart = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 5 });

async function openStore({ goods, taxInclusive, shippingTaxInclusive, shipping, promotions, ...rules }: Store) {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const region = { name: 'All', currency: 'EUR', countries: ['DE'], taxInclusive, shippingTaxInclusive };
  await bodyOf(staff.post('/admin/regions', region));
  const ids = new Map<string | null, string | null>([[null, null]]);
  for (const code of ['reduced', 'zero']) {
    ids.set(code, (await bodyOf(staff.post('/admin/tax-categories', { code, name: code }))).id);
  }
  for (const [category, rate] of [
    ['reduced', 7.5],
    ['zero', 0],
    [null, 19],
  ] as const) {
    const categoryId = ids.get(category);
    await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', country: 'DE', rate, categoryId }));
  }
  const { roundPer, rounding, shippingCategory } = rules;
  const payment = { rounding: [{ currency: 'EUR', to: rules.roundTo, methods: null }] };
  const tax = { roundPer, rounding, shippingCategory };
  const address = { legalName: 'Demo Store', address: '1 Way\nBerlin' };
  await bodyOf(staff.patch('/admin/store', { ...address, settings: { tax, payment } }));
  const rates = [{ currency: 'EUR', amount: shipping }];
  const option = { code: 'standard', name: 'Standard', type: 'flat', rates };
  const { id: optionId } = await bodyOf(staff.post('/admin/shipping-options', option));
  for (const [at, discount] of promotions.entries()) {
    await bodyOf(staff.post('/admin/promotions', { label: `Offer ${at}`, automatic: true, discount }));
  }
  const articles: Article[] = [];
  for (const { price, category } of goods) {
    articles.push(await createForSale(tenant, price, { product: { taxCategory: category } }));
  }
  return { tenant, articles, optionId };
}

interface Line {
  variantId: string;
  quantity: number;
  charged: { amount: number };
}

/** Orders a cart; returns what each document says of it, by the name of the document. */
async function orderCart(
  { staff }: TestTenant,
  shopper: Caller,
): Promise<{ totals: Record<string, unknown>; lines: Record<string, unknown>; orderId: string }> {
  const shown = await bodyOf(shopper.get('/cart'));
  const preview = await shopper.get('/checkout');
  const headers = { 'if-match': preview.headers.get('etag') as string };
  const body = { ...buyer, expectedTotal: shown.totals.total };
  const placed = await bodyOf(shopper.post('/checkout', body, { headers }));
  const read = await bodyOf(staff.get(`/admin/orders/${placed.id}`));
  const linesOf = ({ items }: { items: Line[] }) => items.map(({ variantId, quantity }) => [variantId, quantity]);
  return {
    orderId: placed.id,
    totals: {
      cart: amountsOf(shown.totals),
      checkout: amountsOf(preview.body.cart.totals),
      answer: amountsOf(placed.totals),
      order: amountsOf(read.totals),
    },
    lines: {
      cart: linesOf(shown),
      checkout: linesOf(preview.body.cart),
      answer: linesOf(placed),
      order: linesOf(read),
    },
  };
}

/** The invoice of an order, and a credit note for each of its lines, one for its shipping and one for the rest. */
async function invoiceInParts({ staff }: TestTenant, orderId: string) {
  const invoice = await bodyOf(staff.post(`/admin/orders/${orderId}/invoices`, {}));
  const path = `/admin/invoices/${invoice.id}/credit-notes`;
  const credited: { totals: Record<string, { amount: number }> }[] = [];
  for (const { lineItemId, quantity, gross } of invoice.lines) {
    if (lineItemId === null || gross.amount === 0) continue;
    credited.push(await bodyOf(staff.post(path, { items: [{ lineItemId, quantity }] })));
  }
  const rest = await staff.post(path, { shipping: true });
  if (rest.status === 201) credited.push(rest.body);
  return { invoice, credited };
}

await t.test('all documents of a sale show the same amounts', { timeout: 1_800_000 }, async (t) => {
  let compared = 0;
  const seed = Number(process.env.CONTRACT_SEED ?? Date.now() % 1_000_000);
  t.comment(`seed ${seed}`);
  const stores = fc.sample(store, { seed, numRuns: Math.ceil(runs / cartsPerStore) });
  for (const [number, each] of stores.entries()) {
    const { tenant, articles, optionId } = await openStore(each);
    const countries = [{ country: 'DE' }, { country: 'DE', province: 'BE' }];
    for (const items of fc.sample(cart, { seed: seed + number, numRuns: cartsPerStore })) {
      const about = JSON.stringify({ ...each, items });
      const shopper = tenant.shopper();
      for (const [at, quantity] of items) {
        await bodyOf(shopper.post('/cart/items', { variantId: articles[at]?.variantId, quantity }));
      }
      const address = { name: 'Ada', line1: '1 Way', city: 'Berlin', ...countries[compared % 2] };
      await bodyOf(shopper.patch('/cart', { country: 'DE' }));
      await bodyOf(shopper.put('/cart/shipping-address', address));
      await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
      const { totals, lines, orderId } = await orderCart(tenant, shopper);
      for (const name of ['checkout', 'answer', 'order']) {
        t.strictSame(totals[name], totals.cart, `${name}: ${about}`);
        t.strictSame(lines[name], lines.cart, `${name}: ${about}`);
      }
      const { total, tax, rounding } = totals.cart as Record<string, number>;
      t.equal((total as number) % each.roundTo, 0, about);
      const { invoice, credited } = await invoiceInParts(tenant, orderId);
      const sumOf = (name: string) => credited.reduce((sum, note) => sum + (note.totals[name]?.amount ?? 0), 0);
      t.strictSame(
        [
          invoice.totals,
          { total: { amount: sumOf('total') }, tax: { amount: sumOf('tax') }, rounding: { amount: sumOf('rounding') } },
        ].map((of) => [amountOf(of.total), amountOf(of.tax), amountOf(of.rounding)]),
        [
          [total, tax, rounding],
          [total, tax, rounding],
        ],
        `invoice and credit notes: ${about}`,
      );
      compared++;
    }
  }
  t.ok(compared >= runs);
});
