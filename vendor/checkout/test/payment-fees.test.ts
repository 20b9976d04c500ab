/**
 * Fees of payment methods: shown before the order, charged only to orders that are paid by the method, taxed and
 * refunded like a charge of shipping.
 */
import { shopperWith } from '@carton/cart/testing';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic', environment: { PAYMENT_ADAPTERS: 'manual' } });
const { staff } = box;
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const code = 'payment:cash_on_delivery';
const paymentMethod = 'cash_on_delivery';

const mug = await createArticle(box, 'mug', 1000, 100);
const methods: { id: string; code: string }[] = (await staff.get('/admin/payment-methods')).body.items;
const cash = methods.find((method) => method.code === paymentMethod) as { id: string };
const setFees = (fees: object[]) => staff.patch(`/admin/payment-methods/${cash.id}`, { fees });
await staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', rate: 20, country: 'FR' });
const shipping = { code: 'post', name: 'Post', type: 'flat', rates: [eur(490)] };
const { id: optionId } = (await staff.post('/admin/shipping-options', shipping)).body;
await setFees([eur(300), { amount: 400, currency: 'USD' }]);

/** A shopper who has one mug shipped to France for 4.90: 10.00 and 4.90, with 2.98 of tax. */
async function shopperInFrance() {
  const shopper = await shopperWith(box, [mug, 1]);
  const address = { name: 'Ada', line1: '1 Main Street', city: 'Paris', postalCode: '75003', country: 'FR' };
  await shopper.put('/cart/shipping-address', address);
  await shopper.put('/cart/shipping-method', { optionId });
  return shopper;
}

type Adjustment = { code: string; kind: string; amount: { amount: number }; shippingCode: string | null };
const amountsOf = (adjustments: Adjustment[]) =>
  adjustments.map(({ code, kind, amount, shippingCode }) => [kind, shippingCode ?? code, amount.amount]);
const withoutFee = [
  ['shipping', 'post', 490],
  ['tax', 'vat', 200],
  ['tax', 'post', 98],
];
const withFee = [
  ['shipping', 'post', 490],
  ['shipping', code, 300],
  ['tax', 'vat', 200],
  ['tax', 'post', 98],
  ['tax', code, 60],
];

t.test('shoppers see the fee with the method; a currency has one', async (t) => {
  const { items } = (await box.visitor().get('/payment-methods')).body;
  t.match(items, exactly([{ fees: [] }, { code: paymentMethod, fees: [eur(300), { amount: 400, currency: 'USD' }] }]));
  t.match(await setFees([eur(300), eur(400)]), { status: 400, body: { errors: exactly([{ pointer: '/fees/1' }]) } });
  t.match(await setFees([eur(-1)]), { status: 400 });
});

t.test('the preview has the total with the fee of a method', async (t) => {
  const shopper = await shopperInFrance();
  const previewOf = async (query: string) => {
    const { cart, left } = (await shopper.get(`/checkout${query}`)).body;
    return [amountsOf(cart.adjustments), cart.totals.total.amount, left.amount];
  };
  t.strictSame(await previewOf(''), [withoutFee, 1788, 1788]);
  t.strictSame(await previewOf('?paymentMethod=bank_transfer'), [withoutFee, 1788, 1788]);
  t.strictSame(await previewOf(`?paymentMethod=${paymentMethod}`), [withFee, 2148, 2148]);
  t.strictSame(await previewOf('?paymentMethod=unknown'), [withoutFee, 1788, 1788]);
});

t.test('the fee is charged to an order paid by the method, and to no other', async (t) => {
  const other = await shopperInFrance();
  t.match((await other.post('/checkout', { ...buyer, paymentMethod: 'bank_transfer' })).body, {
    totals: { total: eur(1788) },
  });
  const shopper = await shopperInFrance();
  const seen = (await shopper.get('/checkout')).headers.get('etag') as string;
  const body = { ...buyer, paymentMethod };
  const order = (headers: Record<string, string>, more = {}) =>
    shopper.post('/checkout', { ...body, ...more }, { headers });
  t.match(await order({ 'if-match': seen }), { status: 412, body: { code: 'offer_changed' } });
  t.match(await order({}, { expectedTotal: eur(1788) }), { status: 409, body: { code: 'total_changed' } });
  const preview = await shopper.get(`/checkout?paymentMethod=${paymentMethod}`);
  const placed = await order({ 'if-match': preview.headers.get('etag') as string }, { expectedTotal: eur(2148) });
  t.match(placed, { status: 201, body: { totals: { shipping: eur(790), total: eur(2148) } } });
  t.strictSame(amountsOf(placed.body.adjustments), withFee.slice(0, 2));
  const fee = { code, label: 'Cash on delivery', charged: eur(360) };
  t.match(placed.body.adjustments, exactly([{ code: 'post' }, fee]));
  const payments = (await staff.get(`/admin/payments?orderId=${placed.body.id}`)).body.items;
  t.match(payments, exactly([{ method: paymentMethod, amount: eur(2148) }]));
  const page = await shopper.get(`/checkout/${placed.body.id}/confirmation`);
  t.match(String(page.body), /Cash on delivery[\s\S]*3\.00/);

  await staff.post(`/admin/payments/${payments[0].id}/capture`, {});
  const refund = await staff.post(`/admin/payments/${payments[0].id}/refunds`, { shipping: [code] });
  t.match(refund, { status: 201, body: { amount: eur(360), tax: eur(60) } });
});

t.test('a payment started before the order is for the total with the fee', async (t) => {
  const shopper = await shopperInFrance();
  const session = await shopper.post('/cart/payment-sessions', { paymentMethod });
  t.match(session, { status: 201, body: { amount: eur(2148) } });
  t.match(await shopper.post('/checkout', { ...buyer, paymentMethod }), {
    status: 201,
    body: { totals: { total: eur(2148) } },
  });
});

t.test('an order without a payment, and a disabled method, have no fee', async (t) => {
  const shopper = await shopperInFrance();
  t.match(await shopper.post('/checkout', buyer), { status: 201, body: { totals: { total: eur(1788) } } });
  await staff.patch(`/admin/payment-methods/${cash.id}`, { enabled: false });
  const { cart } = (await (await shopperInFrance()).get(`/checkout?paymentMethod=${paymentMethod}`)).body;
  t.strictSame(amountsOf(cart.adjustments), withoutFee);
  await staff.patch(`/admin/payment-methods/${cash.id}`, { enabled: true });
});

t.test('a method that is chosen afterwards changes the total, which page, order and payment agree on', async (t) => {
  const shopper = await shopperInFrance();
  const { body: order } = await shopper.post('/checkout', buyer);
  const choose = (method: string) => shopper.post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: method });
  t.match(await choose(paymentMethod), { status: 201, body: { amount: eur(2148), total: eur(2148) } });
  const chosen = (await shopper.get(`/checkout/${order.id}`)).body;
  t.match(chosen, { totals: { shipping: eur(790), tax: eur(358), total: eur(2148) }, balance: eur(2148) });
  const read = (await staff.get(`/admin/orders/${order.id}`)).body;
  t.match(read.taxLines.at(-1), { shippingCode: code, code: 'vat', rate: 20, amount: eur(60), included: false });
  const page = String((await shopper.get(`/checkout/${order.id}/confirmation`)).body);
  t.match(page, /Cash on delivery[\s\S]*3\.00[\s\S]*Total[\s\S]*21\.48/);
  const { items } = (await staff.get(`/admin/orders/${order.id}/timeline`)).body;
  t.ok(
    items.some(
      ({ message }: { message: string }) =>
        message === 'The fee of cash on delivery was added: 3.00 EUR and 0.60 EUR of tax',
    ),
  );
  t.match((await choose('bank_transfer')).body, { amount: eur(1788), total: eur(1788) });
  t.match((await shopper.get(`/checkout/${order.id}`)).body.totals, {
    shipping: eur(490),
    tax: eur(298),
    total: eur(1788),
  });
});

t.test('free shipping leaves the fee', async (t) => {
  const discount = { kind: 'free_shipping' };
  const { id } = (await staff.post('/admin/promotions', { label: 'Free shipping', discount, automatic: true })).body;
  const { cart } = (await (await shopperInFrance()).get(`/checkout?paymentMethod=${paymentMethod}`)).body;
  t.equal(cart.totals.total.amount, 1560, '10.00 and 3.00 with 20 %');
  await staff.patch(`/admin/promotions/${id}`, { enabled: false });
});

t.test('a free order has no fee', async (t) => {
  const gift = await createArticle(box, 'gift', 0, 10);
  const shopper = await shopperWith(box, [gift, 1]);
  t.match((await shopper.get(`/checkout?paymentMethod=${paymentMethod}`)).body.cart.totals, { total: eur(0) });
  const { status, body } = await shopper.post('/checkout', { ...buyer, paymentMethod });
  t.strictSame([status, body.totals?.total, body.paymentStatus], [201, eur(0), 'paid']);
});
