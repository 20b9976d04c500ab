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

t.test('a consumer pays the price', async (t) => {
  t.strictSame(outcomeOf((await cartFor(store, null)).cart), [null, 1983, 11_900]);
  const { cart } = await cartFor(store, french, { address: addressIn('DE') });
  t.strictSame(outcomeOf(cart), ['valid', 1900, 11_900]);
});
