/**
 * Taxes of a tax provider: when it is asked, about what, and what a cart and its order have of its answers. What applies
 * without an answer is in `provider-outages.test.ts`.
 */
import { type Adjustment, cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, exactly, extendBox } from '@carton/runtime/testing';
import { booksCode } from '@carton/stripe/testing';
import t from 'tap';
import { taxExemptions } from '../index.ts';
import { createArticle, createCategory, createRegion, shipTo, taxesOfCart, taxesOfLines } from './helpers.ts';
import { buyer, byProvider, callsOf, cartTo, chooseProvider, createProviderBox, newAddress } from './provider-box.ts';

const opened = await createProviderBox(t);
const { box, shirt } = opened;

t.test('a cart with a destination has the taxes of the provider, and so has its order', async (t) => {
  const { shopper, cart } = await cartTo(opened, newAddress());
  t.strictSame(taxesOfCart(cart), [byProvider(380), 2379]);
  t.equal(await callsOf(opened), 1);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [byProvider(380), 2379]);
  const preview = await bodyOf(shopper.get('/checkout'));
  const order = await bodyOf(shopper.post('/checkout', { ...buyer, expectedTotal: preview.cart.totals.total }));
  t.equal(await callsOf(opened), 1, 'the same question is asked once');
  t.match(order, {
    totals: { tax: { amount: 380 }, total: { amount: 2379 } },
    taxLines: exactly([
      { code: 'vat', label: 'Umsatzsteuer', rate: 19, amount: { amount: 380 }, source: { type: 'tax_provider' } },
    ]),
  });
  t.match(order.taxLines[0].source.id, /^taxcalc_\d+$/);
});

t.test('the same goods to the same address are one question of all shoppers', async (t) => {
  const [address, atlas] = [newAddress(), await createArticle(box, 2500)];
  await cartTo(opened, address, [shirt, 2], [atlas, 1]);
  const { cart } = await cartTo(opened, address, [atlas, 1], [shirt, 2]);
  t.strictSame(taxesOfCart(cart)[1], 6498 + 760 + 475);
  t.equal(await callsOf(opened), 1);
  const other = await box.openTenant();
  await chooseProvider(other);
  const shopper = await shopperWith(
    other,
    [await createArticle(other, 1999), 2],
    [await createArticle(other, 2500), 1],
  );
  await bodyOf(shopper.put('/cart/shipping-address', address));
  t.equal(await callsOf(opened), 2, 'stores do not share answers');
  const visible = await other.db.query('select digest from tax_quotes where $1::uuid is not null');
  const [all] = await box.owner.query<{ count: string }>('select count(*) from tax_quotes');
  t.equal(visible.length, 1, 'row-level security hides the answers of other stores');
  t.ok(Number(all?.count) > 1);
});

t.test('an expired answer is asked for again', async (t) => {
  const { shopper } = await cartTo(opened, newAddress());
  await box.db.query("update tax_quotes set expires_at = now() - interval '1 second' where tenant_id = $1");
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart')))[0], byProvider(380));
  t.equal(await callsOf(opened), 2);
});

t.test('a changed address, quantity or price is another question', async (t) => {
  const { shopper, cart } = await cartTo(opened, newAddress({ country: 'US', province: 'CA', postalCode: '94110' }));
  // 7.25 % and 1 % of 1999 are 164.9 in all.
  t.strictSame(taxesOfCart(cart), [['sales_tax 7.25 % 145', 'sales_tax 1 % 20'], 2164]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [byProvider(380), 2379]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'FR')), [['not_collecting null % 0'], 1999]);
  const quantity = await bodyOf(shopper.patch(`/cart/items/${cart.items[0].id}`, { quantity: 2 }));
  t.equal(quantity.totals.total.amount, 3998);
  t.equal(await callsOf(opened), 4);
  const order = await bodyOf(shopper.post('/checkout', { customer: { ...buyer.customer, address: newAddress() } }));
  t.match(order, { totals: { tax: { amount: 760 }, total: { amount: 4758 } } });
  t.equal(await callsOf(opened), 5, 'the address sent with the checkout is asked about');
});

t.test('a changed price is another question', async (t) => {
  const article = await createArticle(box, 1000);
  const { shopper, cart } = await cartTo(opened, newAddress(), [article, 1]);
  t.strictSame(taxesOfCart(cart), [byProvider(190), 1190]);
  const prices = { prices: [{ currency: 'EUR', amount: 2000 }] };
  await bodyOf(box.staff.put(`/admin/variants/${article}/prices`, prices));
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [byProvider(380), 2380]);
  t.equal(await callsOf(opened), 2);
});

t.test('discounted amounts and shipping charges are asked about, and nothing for exempt shoppers', async (t) => {
  const withSteps = (discount: number, charges: number[], isExempt = false) => {
    const off: Adjustment = { code: 'OFF', label: 'Off', kind: 'discount', amount: -discount };
    const post = charges.map((amount, at): Adjustment => ({ ...off, code: `post ${at}`, kind: 'shipping', amount }));
    extendBox(t, box, [
      cartTotals.with(totalsStep({ name: 'off', order: totalsOrder.discount, adjust: () => [off] })),
      cartTotals.with(totalsStep({ name: 'post', order: totalsOrder.shipping, adjust: () => post })),
      taxExemptions.with(async () => isExempt),
    ]);
  };
  withSteps(999, [300, 200]);
  const { shopper, cart } = await cartTo(opened, newAddress());
  // 19 % of 1000 and of 500, divided among the charges
  t.strictSame(taxesOfCart(cart), [['vat 19 % 190', 'vat 19 % 57', 'vat 19 % 38'], 1000 + 500 + 285]);
  const taxes = cart.adjustments.filter(({ kind }: Adjustment) => kind === 'tax');
  t.match(taxes, exactly([{ shippingCode: null }, { shippingCode: 'post 0' }, { shippingCode: 'post 1' }]));
  withSteps(1_000_000, [500]);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [['vat 19 % 95'], 595], 'only shipping is paid');
  t.equal(await callsOf(opened), 2);
  withSteps(0, [500], true);
  t.strictSame(taxesOfCart(await bodyOf(shopper.get('/cart'))), [[], 2499]);
  t.equal(await callsOf(opened), 2);
  withSteps(0, [1190]);
  const regionId = await createRegion(box, ['DE']);
  await bodyOf(box.staff.patch(`/admin/regions/${regionId}`, { shippingTaxInclusive: true }));
  const mixed = await bodyOf(shopper.patch('/cart', { regionId }));
  t.strictSame(taxesOfCart(mixed), [['vat 19 % 380', 'vat 19 % 190'], 1999 + 380 + 1190], 'shipping contains its tax');
  await bodyOf(box.staff.patch(`/admin/regions/${regionId}`, { countries: [] }));
});

t.test('categories have codes of the provider, and prices may include taxes', async (t) => {
  const id = await createCategory(box, 'books');
  t.match(await box.staff.patch(`/admin/tax-categories/${id}`, { providerCode: booksCode }), {
    body: { providerCode: booksCode },
  });
  const novel = await createArticle(box, 1000, { taxCategory: 'books' });
  const { shopper, cart } = await cartTo(opened, newAddress(), [novel, 1], [shirt, 1]);
  t.strictSame([taxesOfCart(cart)[0].toSorted(), taxesOfCart(cart)[1]], [['vat 19 % 380', 'vat 7 % 70'], 3449]);
  const region = await createRegion(box, ['DE'], true);
  const inclusive = await bodyOf(shopper.patch('/cart', { regionId: region }));
  // 1000 × 7 / 107 and 1999 × 19 / 119
  t.strictSame(
    [taxesOfCart(inclusive)[0].toSorted(), inclusive.totals.total.amount],
    [['vat 19 % 319', 'vat 7 % 65'], 2999],
  );
  await box.staff.patch(`/admin/regions/${region}`, { countries: [] });
});

t.test('more lines than a calculation lists', async (t) => {
  const articles = await Promise.all(Array.from({ length: 23 }, (_, at) => createArticle(box, 1000 + at)));
  const { cart } = await cartTo(opened, newAddress(), ...articles.map((id): [string, number] => [id, 1]));
  const taxes = articles.map((_, at) => Math.round((1000 + at) * 0.19));
  t.strictSame(taxesOfLines(cart), taxes);
  t.equal(
    cart.totals.tax.amount,
    taxes.reduce((sum, tax) => sum + tax, 0),
  );
  t.equal(cart.adjustments.filter(({ code }: { code: string }) => code === 'estimate').length, 0);
});

t.test('nothing is asked for a store without a provider, and without a destination', async (t) => {
  const store = await box.openTenant();
  const shopper = await shopperWith(store, [await createArticle(store, 1000), 1]);
  t.strictSame(taxesOfCart(await shipTo(shopper, 'DE')), [[], 1000]);
  const free = await createArticle(box, 0);
  const none = await cartTo(opened, newAddress(), [free, 1]);
  t.equal(none.cart.totals.total.amount, 0);
  await shopperWith(box, [shirt, 1]);
  t.equal(await callsOf(opened), 0);
});
