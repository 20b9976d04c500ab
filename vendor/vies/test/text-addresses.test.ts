/**
 * An order whose address is free text: where it goes is not known, so that no tax is saved by the cart's address.
 */
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { cartFor, email, french, openStore } from './businesses.ts';

const store = await openStore(t);
const text = 'Anna Schmidt\nInvalidenstraße 1\n10115 Berlin\nDeutschland';
const taxed = { taxExemption: null, totals: { tax: { amount: 2380 }, total: { amount: 14_280 } } };
const exempt = { taxExemption: 'intra_community', totals: { tax: { amount: 0 }, total: { amount: 11_900 } } };

t.test('an address in free text has the taxes of a consumer at the address of the cart', async (t) => {
  for (const address of [text, 'x', 'Café Crème, 1 Rue de la Paix, 75002 Paris, France']) {
    const { shopper } = await cartFor(store, french);
    const order = await bodyOf(shopper.post('/checkout', { customer: { email, address } }));
    t.match(order, { ...taxed, customer: { address } });
  }
  const { shopper } = await cartFor(store, french, { items: [store.manual] });
  t.match(await bodyOf(shopper.post('/checkout', { customer: { email, address: text } })), taxed, 'services as well');
});

t.test('it is not ordered at the price that the cart has shown', async (t) => {
  const { shopper, cart } = await cartFor(store, french);
  const customer = { email, address: text };
  const { total: expectedTotal } = cart.totals;
  t.match(await shopper.post('/checkout', { customer, expectedTotal }), {
    status: 409,
    body: { code: 'total_changed', totals: { actual: { amount: 14_280 } } },
  });
  const etag = (await shopper.get('/checkout')).headers.get('etag');
  t.match(await shopper.post('/checkout', { customer }, { headers: { 'if-match': String(etag) } }), {
    status: 412,
    body: { code: 'offer_changed' },
  });
  t.match(await bodyOf(shopper.post('/checkout', { customer: { email }, expectedTotal })), exempt);
});

t.test('blank text is no address, and an address object has its own country', async (t) => {
  const { shopper } = await cartFor(store, french);
  const blank = await bodyOf(shopper.post('/checkout', { customer: { email, address: ' \n ' } }));
  t.match(blank, { ...exempt, customer: { address: { country: 'FR' } } });
  const austrian = { line1: 'Ring 1', city: 'Wien', postalCode: '1010', country: 'AT' };
  const { shopper: other } = await cartFor(store, french);
  t.match(await bodyOf(other.post('/checkout', { customer: { email, address: austrian } })), exempt);
  const { country: _, ...nowhere } = austrian;
  const { shopper: third } = await cartFor(store, french);
  t.match(await bodyOf(third.post('/checkout', { customer: { email, address: nowhere } })), taxed);
});
