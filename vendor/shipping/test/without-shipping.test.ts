/**
 * Variants that need no shipping: no option, no address of delivery and no parcel, alone and beside goods that are shipped.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { choose, createArticle, createOption, offeredTo } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
const buyer = { customer: { email: 'ada@example.com' } };
await bodyOf(
  staff.patch('/admin/store', {
    checkoutRequires: ['address', 'address.city', 'phone'],
    settings: { shipping: { required: true } },
  }),
);
const option = await createOption(box, { type: 'weight', rates: [{ currency: 'EUR', to: 500, amount: 490 }] });
const mug = await createArticle(box, 1000, { weight: 400 });
const song = await createArticle(box, 500, { weight: 400 });
await bodyOf(staff.patch(`/admin/variants/${song}`, { requiresShipping: false }));

t.test('every variant requires shipping until staff say that it does not', async (t) => {
  t.match(await staff.get(`/admin/variants/${mug}`), { body: { requiresShipping: true } });
  t.match(await staff.get(`/admin/variants/${song}`), { body: { requiresShipping: false } });
  const variants = [{ title: 'File', requiresShipping: false }];
  const { id } = await bodyOf(staff.post('/admin/products', { title: 'Book', variants }));
  t.match(await staff.get(`/admin/products/${id}`), { body: { variants: exactly([{ requiresShipping: false }]) } });
  t.match(await staff.post(`/admin/products/${id}/duplicate`, {}), {
    status: 201,
    body: { variants: exactly([{ requiresShipping: false }]) },
  });
});

t.test('a cart of such variants asks for no option and no address of delivery', async (t) => {
  const shopper = await shopperWith(box, [song, 2]);
  t.strictSame(await offeredTo(shopper), {});
  t.strictSame((await bodyOf(shopper.get('/cart'))).shipping, []);
  const preview = await bodyOf(shopper.get('/checkout'));
  t.strictSame([preview.asks, preview.requirements, preview.ready], [['phone'], [], true]);
  t.match(await shopper.post('/checkout', buyer), { status: 409, body: { code: 'customer_details_missing' } });
  const customer = { ...buyer.customer, phone: '+33123456789' };
  const { id, items, totals } = await bodyOf(shopper.post('/checkout', { customer }));
  t.strictSame([totals.shipping.amount, totals.total.amount], [0, 1000]);
  const path = `/admin/orders/${id}/fulfillments`;
  t.equal((await staff.post(path)).status, 409);
  t.match(await staff.post(path, { items: [{ lineItemId: items[0].id, quantity: 1 }] }), { status: 400 });
});

t.test('beside goods that are shipped they are no part of the parcel', async (t) => {
  const shopper = await shopperWith(box, [mug, 1], [song, 5]);
  t.strictSame(await offeredTo(shopper), { default: [[option, 490]] });
  const customer = {
    ...buyer.customer,
    phone: '+33123456789',
    address: { line1: '1 Way', city: 'Lyon', country: 'FR' },
  };
  const { address: _, ...withoutAddress } = customer;
  t.match(await shopper.post('/checkout', { customer }), { status: 409, body: { code: 'shipping_method_required' } });
  await choose(shopper, option);
  t.match(await shopper.post('/checkout', { customer: withoutAddress }), {
    status: 409,
    body: { code: 'customer_details_missing' },
  });
  const { id, items } = await bodyOf(shopper.post('/checkout', { customer }));
  const parcel = await bodyOf(staff.post(`/admin/orders/${id}/fulfillments`));
  t.match(parcel.items, exactly([{ lineItemId: items[0].id, quantity: 1 }]));
  await bodyOf(staff.post(`/admin/fulfillments/${parcel.id}/ship`));
  t.match(await staff.get(`/admin/orders/${id}`), { body: { fulfillmentStatus: 'fulfilled' } });
});
