/**
 * The minimum order of a store: compared with the goods after discounts, for carts only.
 */
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, exactly, extendBox } from '@carton/runtime/testing';
import t from 'tap';
import { cartTotals, findCart, priceSale, type StoredCart, saleOfCart, totalsOrder, totalsStep } from '../index.ts';
import { forSale } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const buyer = { customer: { email: 'ada@example.com' } };
const article = await forSale(box, { price: 1000 });
const minimize = async (...minimumOrder: object[]) => {
  const { status, body } = await box.staff.patch('/admin/store', { settings: { cart: { minimumOrder } } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.settings.cart;
};
const eur = (amount: number) => ({ currency: 'EUR', amount });

const steps = [
  totalsStep({
    name: 'goods-discount',
    order: totalsOrder.discount,
    adjust: () => [{ code: 'sale', label: 'Sale', kind: 'discount', amount: -300 }],
  }),
  totalsStep({
    name: 'charge',
    order: totalsOrder.shipping,
    adjust: () => [{ code: 'post', label: 'Post', kind: 'shipping', amount: 900 }],
  }),
  totalsStep({
    name: 'charge-discount',
    order: totalsOrder.shippingDiscount,
    adjust: () => [{ code: 'free', label: 'Free', kind: 'discount', amount: -900, shippingCode: 'post' }],
  }),
];
t.afterEach(() => minimize());

t.test('there is none by default, and none for a currency that is not in the list', async (t) => {
  t.strictSame((await box.staff.get('/admin/store')).body.settings.cart, {
    ...{ checkPostalCodes: true, minimumOrder: [] },
  });
  t.equal((await (await shopperWith(box, [article, 1])).post('/checkout', buyer)).status, 201);
  t.strictSame(await minimize({ currency: 'USD', amount: 5000 }), {
    ...{ checkPostalCodes: true, minimumOrder: [{ currency: 'USD', amount: 5000 }] },
  });
  t.equal((await (await shopperWith(box, [article, 1])).post('/checkout', buyer)).status, 201);
});

t.test('a cart below it has an issue and cannot be ordered; at the minimum it can', async (t) => {
  await minimize(eur(2500), eur(3000), { currency: 'USD', amount: 9000 });
  const shopper = await shopperWith(box, [article, 2]);
  t.strictSame((await shopper.get('/cart')).body.issues, ['minimum_order']);
  const detail = 'The minimum order is €30.00: add items for €10.00.';
  const { requirements } = (await shopper.get('/checkout')).body;
  t.strictSame(requirements, [{ code: 'minimum_order', detail, pointer: null }]);
  const refused = await shopper.post('/checkout', buyer);
  t.match(refused, { status: 409, body: { code: 'minimum_order', detail } });
  const { body } = await shopper.post('/cart/items', { variantId: article.variantId, quantity: 1 });
  t.strictSame(body.issues, []);
  t.equal((await shopper.post('/checkout', buyer)).status, 201);
});

t.test('an empty cart has no such issue', async (t) => {
  await minimize(eur(2500));
  const shopper = await shopperWith(box, [article, 1]);
  await shopper.delete('/cart');
  t.match((await shopper.get('/cart')).body, { id: String, issues: exactly([]) });
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } });
});

t.test('discounts on goods count; shipping and discounts on shipping do not', async (t) => {
  const shopper = await shopperWith(box, [article, 2]);
  const issuesAt = async (amount: number) => {
    await minimize(eur(amount));
    return (await shopper.get('/cart')).body.issues;
  };
  const contributions = steps.map((step) => cartTotals.with(step));
  extendBox(t, box, contributions);
  t.strictSame(await issuesAt(1701), ['minimum_order'], '20.00 less 3.00');
  t.strictSame(await issuesAt(1700), []);
  extendBox(t, box, contributions.slice(0, 2));
  t.strictSame(await issuesAt(1701), ['minimum_order'], 'with 9.00 of shipping');
});

t.test('sales without a cart are exempt', async (t) => {
  await minimize(eur(2500));
  const shopper = await shopperWith(box, [article, 1]);
  const sale = saleOfCart((await findCart(box.db, (await shopper.get('/cart')).body.id)) as StoredCart);
  t.strictSame((await priceSale(box.db, sale)).issues, ['minimum_order']);
  t.strictSame((await priceSale(box.db, { ...sale, cartId: null })).issues, []);
});

t.test('a minimum is a positive amount in a currency', async (t) => {
  for (const minimum of [eur(0), eur(-1), eur(1.5), { currency: 'XXX', amount: 1 }, { amount: 1 }]) {
    const change = { settings: { cart: { minimumOrder: [minimum] } } };
    t.equal((await box.staff.patch('/admin/store', change)).status, 400, JSON.stringify(minimum));
  }
});
