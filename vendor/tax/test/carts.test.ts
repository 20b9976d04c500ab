/**
 * Taxes of carts and orders: where a sale is taxed, what is taxed, and what an order keeps.
 */
import { type Adjustment, cartTotals, findPricedCart, totalsOrder, totalsStep } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import {
  bodyOf,
  countRoundTrips,
  createTestBox,
  exactly,
  extendBox,
  packagesOfTier,
  sessionHashOf,
  shortName,
  writePackage,
} from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import {
  addressIn,
  createArticle,
  createCategory,
  createRate,
  createRegion,
  shipTo,
  taxesOfCart,
  taxesOfLines,
} from './helpers.ts';

/** A package that exempts embassies, by a statement of its own. */
const index = `
import { definePackage } from '@carton/runtime';
import { taxExemptions } from '@carton/tax';

const isEmbassy = async (db, { email }) => {
  const found = await db.query("select 1 from tenants where id = $1 and $2 like '%@embassy.example'", [email]);
  return found.length > 0;
};

export default definePackage({ routes: [], extends: [taxExemptions.with(isEmbassy)] });
`;
const embassy = { name: 'embassy', dependencies: ['core', 'tax'], index };
const box = await createTestBox(t, await writePackage(t, embassy, packagesOfTier('basic').map(shortName)));
const { database } = box.box;
const { staff } = box;

/** Adds shipping charges and a discount to every sale until the test ends. */
function withCharges(t: Test, charges: number[], discount: number): void {
  const discounts = totalsStep({
    name: 'discounts',
    order: totalsOrder.discount,
    adjust: () => [{ code: 'OFF', label: 'Off', kind: 'discount', amount: -discount }],
  });
  const shipping = totalsStep({
    name: 'post',
    order: totalsOrder.shipping,
    adjust: () =>
      charges.map((amount, at): Adjustment => ({ code: `post ${at}`, label: 'Post', kind: 'shipping', amount })),
  });
  extendBox(t, box, [cartTotals.with(discounts), cartTotals.with(shipping)]);
}
t.afterEach(async () => {
  await staff.patch('/admin/store', {
    settings: { tax: { roundPer: 'line', rounding: 'half_up', shippingCategory: null } },
  });
});

const shirt = await createArticle(box, 1999);
const novel = await createArticle(box, 999, { taxCategory: 'books' });
const ball = await createArticle(box, 500, { taxCategory: 'nothing-has-this-code' });
const buyer = { customer: { email: 'ada@example.com' } };
const orderTo = (address: unknown) => ({ customer: { ...buyer.customer, address } });

const books = await createCategory(box, 'books');
const germany = await createRate(box, { country: 'DE', rate: 19 });
await createRate(box, { country: 'DE', rate: 7, categoryId: books });
await createRate(box, { code: 'gst', name: 'GST', country: 'CA', rate: 5 });
await createRate(box, { code: 'qst', name: 'QST', country: 'CA', province: 'QC', rate: 9.975 });
await createRate(box, { code: 'iva', country: 'ES', rate: 21 });
await createRate(box, { code: 'igic', country: 'ES', province: 'TF', rate: 7, override: true });
await createRate(box, { code: 'tax', country: 'BR', rate: 10 });
await createRate(box, { code: 'stacked', country: 'BR', rate: 10, compound: true });
// Rates of other stores count nowhere else.
await createRate(await box.openTenant(), { code: 'theirs', country: 'DE', rate: 50 });

t.test('without a rate for the destination nothing is taxed', async (t) => {
  const untaxed = await box.openTenant();
  const shopper = await shopperWith(untaxed, [await createArticle(untaxed, 1250), 2]);
  t.match(await shopper.post('/checkout', buyer), {
    status: 201,
    body: { taxLines: exactly([]), totals: { tax: { amount: 0 }, total: { amount: 2500 } } },
  });
});

t.test('goods are taxed by their category, where they are shipped', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1], [novel, 1], [ball, 1]);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [[], 3498], 'without an address');
  const cart = await shipTo(shopper, 'DE');
  // 379.81; 69.93; 95
  t.strictSame(taxesOfCart(cart), [['vat 19 % 475', 'vat 7 % 70'], 4043]);
  t.strictSame(taxesOfLines(cart), [380, 70, 95]);
  const [, second] = cart.items;
  const own = { code: 'vat', label: 'VAT', kind: 'tax', included: false };
  t.match(
    cart.adjustments,
    exactly([
      { ...own, rate: 19, itemId: null },
      { ...own, rate: 7, itemId: second.id },
    ]),
  );
  await bodyOf(shopper.put('/cart/billing-address', addressIn('CA', 'QC')));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[1], 4043, 'the billing address does not matter');
  t.strictSame(taxesOfCart(await shipTo(shopper, 'FR')), [[], 3498]);
});

t.test('the rates of a province add to those of its country, or replace them', async (t) => {
  const shopper = await shopperWith(box, [await createArticle(box, 1000), 1]);
  const cases: [country: string, province: string | null, taxes: string[], total: number][] = [
    ['CA', null, ['gst 5 % 50'], 1050],
    ['CA', 'ON', ['gst 5 % 50'], 1050],
    ['CA', ' qc', ['gst 5 % 50', 'qst 9.975 % 100'], 1150],
    ['ES', 'M', ['iva 21 % 210'], 1210],
    ['ES', 'TF', ['igic 7 % 70'], 1070],
    ['BR', null, ['tax 10 % 100', 'stacked 10 % 110'], 1210],
  ];
  for (const [country, province, ...expected] of cases) {
    t.strictSame(taxesOfCart(await shipTo(shopper, country, province)), expected, `${country} ${province}`);
  }
});

t.test('without an address, the only country of the region counts', async (t) => {
  const [one, many] = await Promise.all([createRegion(box, ['DE']), createRegion(box, ['ES', 'CA'])]);
  const shopper = await shopperWith(box, [shirt, 1]);
  t.strictSame(taxesOfCart(await bodyOf(shopper.patch('/cart', { regionId: one }))), [['vat 19 % 380'], 2379]);
  t.strictSame(taxesOfCart(await bodyOf(shopper.patch('/cart', { regionId: many }))), [[], 1999]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'CA')), [['gst 5 % 100'], 2099], 'an address comes first');
  await bodyOf(shopper.put('/cart/billing-address', addressIn('DE')));
  for (const id of [one, many]) await staff.patch(`/admin/regions/${id}`, { countries: [] });
});

t.test('prices of a tax-inclusive region contain their taxes, exempt shoppers pay them all the same', async (t) => {
  const region = await createRegion(box, ['DE', 'CA', 'BR'], true);
  const shopper = await shopperWith(box, [shirt, 1], [novel, 1]);
  await bodyOf(shopper.patch('/cart', { regionId: region }));
  // 319.17; 65.36
  const cart = await shipTo(shopper, 'DE');
  t.strictSame(taxesOfCart(cart), [['vat 19 % 319', 'vat 7 % 65'], 2998]);
  t.match(cart.totals, { subtotal: { amount: 2998 }, tax: { amount: 384 } });
  t.match(cart.adjustments, exactly([{ included: true }, { included: true }]));
  // 1999 × 14.975 / 114.975 = 260.36: 86.81 and 173.19; 999: 130.12: 43.4 and 86.6
  const inQuebec = await shipTo(shopper, 'CA', 'QC');
  t.strictSame(taxesOfCart(inQuebec), [['gst 5 % 130', 'qst 9.975 % 260'], 2998]);
  t.strictSame(taxesOfLines(inQuebec), [260, 130]);
  // 1999 × 21 / 121 = 346.93: 165.24 and 181.76; 999: 173.38: 82.38 and 90.62
  const inBrazil = await shipTo(shopper, 'BR');
  t.strictSame(taxesOfCart(inBrazil), [['tax 10 % 247', 'stacked 10 % 273'], 2998]);
  t.strictSame(taxesOfLines(inBrazil), [347, 173]);
  await bodyOf(shopper.patch('/cart', { email: 'ambassador@embassy.example' }));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [[], 2998]);
  await staff.patch(`/admin/regions/${region}`, { countries: [] });
});

t.test('a package exempts shoppers', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await shipTo(shopper, 'DE');
  await bodyOf(shopper.patch('/cart', { email: 'ambassador@embassy.example' }));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [[], 1999]);
  await bodyOf(shopper.patch('/cart', { email: 'ada@example.com' }));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [['vat 19 % 380'], 2379]);
});

t.test('discounts come first, and shipping is taxed in proportion to the goods or by its own category', async (t) => {
  withCharges(t, [490], 500);
  const [coat, atlas] = [await createArticle(box, 3500), await createArticle(box, 1000, { taxCategory: 'books' })];
  const shopper = await shopperWith(box, [coat, 1], [atlas, 1]);
  // Of 500, 388.89 and 111.11 are off: 3111 and 889 remain. Of 490: 381.1 and 108.9.
  // 591.09; 62.23; 72.39; 7.63
  const cart = await shipTo(shopper, 'DE');
  const shares = ['vat 19 % 591', 'vat 7 % 62', 'vat 19 % 72', 'vat 7 % 8'];
  t.strictSame(taxesOfCart(cart), [shares, 4000 + 490 + 733]);
  t.match(
    cart.adjustments.filter(({ kind }: Adjustment) => kind === 'tax'),
    exactly([
      { itemId: cart.items[0].id, shippingCode: null },
      { itemId: cart.items[1].id, shippingCode: null },
      { itemId: null, shippingCode: 'post 0' },
      { itemId: null, shippingCode: 'post 0' },
    ]),
  );
  await bodyOf(staff.patch('/admin/store', { settings: { tax: { shippingCategory: 'books' } } }));
  // 34.3
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0].slice(2), ['vat 7 % 34']);
  await bodyOf(staff.patch('/admin/store', { settings: { tax: { shippingCategory: 'nothing-has-this-code' } } }));
  // 93.1
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0].slice(2), ['vat 19 % 93']);
});

t.test('a discount of everything leaves nothing to tax', async (t) => {
  withCharges(t, [], 1_000_000);
  const shopper = await shopperWith(box, [shirt, 1]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [['vat 19 % 0'], 0]);
});

t.test('taxes are rounded per line or once per total', async (t) => {
  const articles = await Promise.all([1, 2, 3].map(() => createArticle(box, 3)));
  const shopper = await shopperWith(box, ...articles.map((id): [string, number] => [id, 1]));
  // 0.57 each; 1.71 for all
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [['vat 19 % 3'], 12]);
  t.match((await bodyOf(staff.get('/admin/store'))).settings, { tax: { roundPer: 'line', shippingCategory: null } });
  await bodyOf(staff.patch('/admin/store', { settings: { tax: { roundPer: 'total' } } }));
  const cart = await bodyOf(shopper.get('/cart'));
  t.strictSame(
    [taxesOfCart(cart), taxesOfLines(cart)],
    [
      [['vat 19 % 2'], 11],
      [1, 1, 0],
    ],
  );
});

t.test('taxes are rounded up or down as the store says', async (t) => {
  const shopper = await shopperWith(box, [await createArticle(box, 50), 1], [shirt, 1]);
  // 9.5 and 379.81
  const expected = { half_up: [10, 380], half_down: [9, 380], down: [9, 379] };
  await shipTo(shopper, 'DE');
  for (const [rounding, taxes] of Object.entries(expected)) {
    await bodyOf(staff.patch('/admin/store', { settings: { tax: { rounding } } }));
    t.strictSame(taxesOfLines(await bodyOf(shopper.get('/cart'))), taxes, rounding);
  }
  const order = await bodyOf(shopper.post('/checkout', buyer));
  t.match(order.totals, { subtotal: { amount: 2049 }, tax: { amount: 388 }, total: { amount: 2437 } });
});

t.test('taxes are rounded per unit', async (t) => {
  await bodyOf(staff.patch('/admin/store', { settings: { tax: { roundPer: 'unit' } } }));
  const shopper = await shopperWith(box, [await createArticle(box, 50), 3]);
  // 9.5 each, 28.5 for the line
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [['vat 19 % 30'], 180]);
  const order = await bodyOf(shopper.post('/checkout', buyer));
  t.match(order.totals, { subtotal: { amount: 150 }, tax: { amount: 30 }, total: { amount: 180 } });
});

t.test('an order keeps its taxes, and a change before it is noticed', async (t) => {
  const rate = await createRate(box, { code: 'moms', name: 'Moms', country: 'SE', rate: 25 });
  const shopper = await shopperWith(box, [shirt, 1]);
  await shipTo(shopper, 'SE');
  const preview = await bodyOf(shopper.get('/checkout'));
  const expectedTotal = preview.cart.totals.total;
  t.strictSame(expectedTotal, { amount: 2499, currency: 'EUR' });
  await bodyOf(staff.patch(`/admin/tax-rates/${rate}`, { rate: 20 }));
  const refused = await shopper.post('/checkout', { ...buyer, expectedTotal });
  t.match(refused, { status: 409, body: { code: 'total_changed', totals: { actual: { amount: 2399 } } } });
  const placed = await bodyOf(
    shopper.post('/checkout', { ...buyer, expectedTotal: { amount: 2399, currency: 'EUR' } }),
  );
  const source = { type: 'tax_rate', id: rate };
  const [line] = placed.items;
  t.match(
    placed.taxLines,
    exactly([
      { itemId: line.id, code: 'moms', label: 'Moms', rate: 20, amount: { amount: 400 }, included: false, source },
    ]),
  );
  const path = `/admin/orders/${placed.id}`;
  const before = await bodyOf(staff.get(path));
  await bodyOf(staff.patch(`/admin/tax-rates/${rate}`, { rate: 1, name: 'Changed', code: 'changed' }));
  t.strictSame(await bodyOf(staff.get(path)), before);
  await bodyOf(staff.delete(`/admin/tax-rates/${rate}`));
  t.strictSame(await bodyOf(staff.get(path)), before);
  t.match(before.totals, { subtotal: { amount: 1999 }, tax: { amount: 400 }, total: { amount: 2399 } });
});

t.test('an address sent with the checkout is the one that is taxed', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  await shipTo(shopper, 'FR');
  const order = await bodyOf(shopper.post('/checkout', orderTo(addressIn('DE'))));
  t.match(order, { totals: { tax: { amount: 380 } }, taxLines: exactly([{ rate: 19, source: { id: germany } }]) });
  const written = await shopperWith(box, [shirt, 1]);
  await shipTo(written, 'DE');
  const text = await bodyOf(written.post('/checkout', orderTo('1 Way, Town')));
  t.match(text, { totals: { tax: { amount: 380 } } }, "free text prices nothing: the cart's address is taxed");
});

t.test('taxes add no round trip', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1], [novel, 1]);
  await shipTo(shopper, 'CA', 'QC');
  const session = { hash: sessionHashOf(shopper), memberId: null };
  const db = database.forTenant(box.id);
  let tax = 0;
  const trips = await countRoundTrips(database, async () => {
    tax = (await findPricedCart(db, session))?.totals.tax ?? 0;
  });
  t.strictSame([trips, tax], [2, 100 + 199 + 50 + 100]);
});
