/**
 * Prices that contain tax: a business pays what is left without it.
 */
import { bodyOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, cartFor, email, french, openStore, outcomeOf } from './businesses.ts';

const store = await openStore(t, { taxInclusive: true });

t.test('the tax that a price contains is taken off as an adjustment of its own', async (t) => {
  const { shopper, cart } = await cartFor(store, french);
  // 119.00 contain 20 % for a consumer in France: 19.83.
  t.strictSame(outcomeOf(cart), ['valid', 0, 9917]);
  t.match(cart.adjustments, exactly([{ code: 'tax-exemption', kind: 'discount', amount: { amount: -1983 } }]));
  const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
  t.match(order, {
    taxExemption: 'intra_community',
    adjustments: exactly([{ code: 'tax-exemption', source: { type: 'tax_exemption', id: 'intra_community' } }]),
    totals: { tax: { amount: 0 }, total: { amount: 9917 } },
  });
  const invoice = await bodyOf(store.box.staff.post(`/admin/orders/${order.id}/invoices`, {}));
  t.match(invoice.totals, { net: { amount: 9917 }, tax: { amount: 0 }, total: { amount: 9917 } });
});

t.test('the label is in the language of the sale, else of the store', async (t) => {
  const { staff } = store.box;
  const labelOf = async (locale?: string) => {
    const { shopper } = await cartFor(store, french);
    if (locale) await bodyOf(shopper.patch('/cart', { locale }));
    const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
    return order.adjustments[0].label;
  };
  t.equal(await labelOf(), 'Tax not charged');
  await bodyOf(staff.patch('/admin/store', { defaultLocale: 'de' }));
  t.equal(await labelOf(), 'Nicht berechnete Steuer');
  t.equal(await labelOf('fr'), 'Taxe non facturée');
  await bodyOf(staff.patch('/admin/store', { defaultLocale: 'en' }));
});

t.test('a consumer pays the price', async (t) => {
  t.strictSame(outcomeOf((await cartFor(store, null)).cart), [null, 1983, 11_900]);
  const { cart } = await cartFor(store, french, { address: addressIn('DE') });
  t.strictSame(outcomeOf(cart), ['valid', 1900, 11_900]);
});

t.test('the minimum order is that of a consumer', async (t) => {
  const { staff } = store.box;
  const minimum = (amount: number) => ({ settings: { cart: { minimumOrder: [{ currency: 'EUR', amount }] } } });
  const issuesOf = async (taxNumber: string | null) => {
    const { shopper, cart } = await cartFor(store, taxNumber);
    const preview = await bodyOf(shopper.get('/checkout'));
    const order = await shopper.post('/checkout', { customer: { email } });
    return [cart.issues, preview.ready, order.status];
  };
  await bodyOf(staff.patch('/admin/store', minimum(11_900)));
  // Without tax the goods cost 99.17.
  t.strictSame(await issuesOf(french), [[], true, 201]);
  t.strictSame(await issuesOf(null), [[], true, 201]);
  await bodyOf(staff.patch('/admin/store', minimum(11_901)));
  t.strictSame(await issuesOf(french), [['minimum_order'], false, 409]);
  await bodyOf(staff.patch('/admin/store', { settings: { cart: { minimumOrder: [] } } }));
});

t.test('where shipping alone contains tax, only that is taken off', async (t) => {
  const { staff } = store.box;
  const { items } = await bodyOf(staff.get('/admin/regions'));
  await bodyOf(staff.patch(`/admin/regions/${items[0].id}`, { taxInclusive: false, shippingTaxInclusive: true }));
  const option = { code: 'post', name: 'Post', type: 'flat', rates: [{ amount: 1200, currency: 'EUR' }] };
  const { id: optionId } = await bodyOf(staff.post('/admin/shipping-options', option));
  const { shopper, cart } = await cartFor(store, french);
  t.strictSame(outcomeOf(cart), ['valid', 0, 11_900]);
  const shipped = await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
  // 12.00 contain 20 %: 2.00.
  t.strictSame(outcomeOf(shipped), ['valid', 0, 12_900]);
  t.match(shipped.adjustments.at(-1), { code: 'tax-exemption', shippingCode: 'post', amount: { amount: -200 } });
  const consumer = await cartFor(store, null);
  const whole = await bodyOf(consumer.shopper.put('/cart/shipping-method', { optionId }));
  t.strictSame(outcomeOf(whole), [null, 2380 + 200, 11_900 + 2380 + 1200]);
});
