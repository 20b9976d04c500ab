/**
 * Totals that are rounded to what can be paid: in every sale of a currency, for some methods, and for their provider. Cart,
 * preview, order and its refunds agree, and another method rounds the order again.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { bodyOf, type Caller, createTestBox, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, textOf } from './helpers.ts';

class CardProvider extends TestProvider {
  stepOf = (currency: string) => (currency === 'KWD' ? 10 : 1);
  refusalOf = ({ amount, currency }: { amount: number; currency: string }) =>
    amount % this.stepOf(currency) === 0 ? null : 'The provider takes multiples of 0.010 KWD only.';
}

const box = await createTestBox(t, {
  tier: 'basic',
  environment: { PAYMENT_ADAPTERS: 'manual' },
  extends: [paymentAdapters.with(new CardProvider())],
});
const { staff } = box;
const inCurrency = (currency: string) => (amount: number) => ({ amount, currency });
const [chf, kwd] = [inCurrency('CHF'), inCurrency('KWD')];
await bodyOf(staff.post('/admin/regions', { name: 'CH', currency: 'CHF', countries: ['CH'] }));
const { id: gulf } = await bodyOf(staff.post('/admin/regions', { name: 'KW', currency: 'KWD', countries: ['KW'] }));
await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', rate: 8.1, country: 'CH' }));
const currencies = ['CHF', 'KWD'];
const mug = await createForSale(box, 1033, { currencies });
const pen = await createForSale(box, 199, { currencies });
const methods: { id: string; code: string }[] = (await staff.get('/admin/payment-methods')).body.items;
const cash = methods.find(({ code }) => code === 'cash_on_delivery')?.id;

const set = (payment: object) => bodyOf(staff.patch('/admin/store', { settings: { payment } }));
const five = (methods: string[] | null) => [{ currency: 'CHF', to: 5, methods }];

t.beforeEach(async () => {
  await set({ rounding: [], roundForProviders: false });
  await bodyOf(staff.patch(`/admin/payment-methods/${cash}`, { fees: [] }));
});

/** With two mugs and a pen in a cart: 22.65 and 1.83 of tax in Switzerland. */
async function shopperIn(country: string): Promise<Caller> {
  const shopper = await shopperWith(box, [mug, 2], [pen, 1]);
  const address = { name: 'Ada', line1: '1 Way', city: 'Town', postalCode: '8001', country };
  if (country === 'KW') await bodyOf(shopper.patch('/cart', { regionId: gulf }));
  await bodyOf(shopper.put('/cart/shipping-address', address));
  return shopper;
}

const place = (shopper: Caller, paymentMethod?: string) =>
  bodyOf(shopper.post('/checkout', { ...buyer, ...(paymentMethod && { paymentMethod }) }));
const orderOf = (id: string) => bodyOf(staff.get(`/admin/orders/${id}`));

t.test('nothing is rounded unless the store says so', async (t) => {
  const shopper = await shopperIn('CH');
  const totals = { subtotal: chf(2265), tax: chf(183), rounding: chf(0), total: chf(2448) };
  t.match(await bodyOf(shopper.get('/cart')), { totals });
  t.match(await place(shopper, 'cash_on_delivery'), { totals });
});

t.test('every sale of a currency: cart, preview and order have the same line', async (t) => {
  await set({ rounding: five(null) });
  const shopper = await shopperIn('CH');
  const totals = { subtotal: chf(2265), tax: chf(183), rounding: chf(2), total: chf(2450) };
  t.match(await bodyOf(shopper.get('/cart')), { totals });
  t.match(await bodyOf(shopper.get('/checkout')), { cart: { totals }, left: chf(2450) });
  const placed = await place(shopper);
  t.match(placed, { totals, balance: chf(2450) });
  const order = await orderOf(placed.id);
  // 2066 and 199 with 167 and 16 of tax, of which the mugs have the share of 2.
  t.match(order, { totals, items: exactly([{ charged: chf(2235) }, { charged: chf(215) }]), adjustments: exactly([]) });
  const page = textOf(String((await shopper.get(`/checkout/${placed.id}/confirmation`)).body));
  t.match(page, /Rounding CHF 0\.02 Total CHF 24\.50/);
  const inDinars = await shopperIn('KW');
  t.match(await bodyOf(inDinars.get('/cart')), { totals: { rounding: kwd(0), total: kwd(2265) } });
});

t.test('of several that apply, the largest does', async (t) => {
  const own = { currency: 'CHF', to: 100, methods: ['bank_transfer'] };
  await set({ rounding: [...five(null), own, { currency: 'CHF', to: 10, methods: null }] });
  const shopper = await shopperIn('CH');
  const totalOf = async (query: string) => (await bodyOf(shopper.get(`/checkout${query}`))).cart.totals.total.amount;
  t.equal(await totalOf(''), 2450);
  t.equal(await totalOf('?paymentMethod=bank_transfer'), 2400);
});

t.test('only for some methods: the preview of the method has it, and an order without it does not', async (t) => {
  await set({ rounding: five(['cash_on_delivery']) });
  const shopper = await shopperIn('CH');
  t.match(await bodyOf(shopper.get('/cart')), { totals: { rounding: chf(0), total: chf(2448) } });
  const preview = await bodyOf(shopper.get('/checkout?paymentMethod=cash_on_delivery'));
  t.match(preview, { cart: { totals: { rounding: chf(2), total: chf(2450) } } });
  t.match(await place(await shopperIn('CH'), 'bank_transfer'), { totals: { rounding: chf(0) }, balance: chf(2448) });
  t.match(await place(shopper, 'cash_on_delivery'), { totals: { rounding: chf(2) }, balance: chf(2450) });
});

t.test('a method that is chosen later rounds the order, and another one again', async (t) => {
  await set({ rounding: five(['cash_on_delivery']) });
  await bodyOf(staff.patch(`/admin/payment-methods/${cash}`, { fees: [chf(101)] }));
  const shopper = await shopperIn('CH');
  const { id } = await place(shopper);
  const choose = (paymentMethod: string) => bodyOf(shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod }));
  // 24.48, the fee of 1.01 and 0.08 of tax on it.
  t.match(await choose('cash_on_delivery'), { total: chf(2555), amount: chf(2555) });
  t.match(await orderOf(id), { totals: { rounding: chf(-2), tax: chf(191), total: chf(2555) }, balance: chf(2555) });
  t.match(await choose('bank_transfer'), { total: chf(2448), amount: chf(2448) });
  t.match(await orderOf(id), { totals: { rounding: chf(0), total: chf(2448) }, balance: chf(2448) });
  t.match(await choose('cash_on_delivery'), { total: chf(2555) });
  t.match(await choose('cash_on_delivery'), { total: chf(2555) }, 'the same method changes nothing');
  const events = await eventTypesOf(box, id);
  t.equal(events.filter((type) => type === 'order.charges_changed').length, 6);
});

t.test('what a provider can charge: a store with the setting rounds for its method', async (t) => {
  await set({ roundForProviders: false });
  const shopper = await shopperIn('KW');
  const listed = async (query = '') =>
    (await bodyOf(shopper.get(`/payment-methods${query}`))).items.map(({ code }: { code: string }) => code);
  t.notOk((await listed()).includes('card'), 'the provider cannot charge 2.265');
  await set({ roundForProviders: true });
  t.ok((await listed()).includes('card'));
  t.match(await bodyOf(shopper.get('/cart')), { totals: { total: kwd(2265) } }, 'the cart knows no method');
  const { id } = await place(shopper);
  t.ok((await listed(`?orderId=${id}`)).includes('card'));
  const session = await bodyOf(shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'card' }));
  t.match(session, { amount: kwd(2270), total: kwd(2270) });
  t.match(await orderOf(id), { totals: { rounding: kwd(5), total: kwd(2270) }, balance: kwd(2270) });
  const other = await place(await shopperIn('KW'), 'card');
  t.match(other, { totals: { rounding: kwd(5), total: kwd(2270) } });
});

t.test('refunds of units and of amounts end at what was charged, and keep the rounding from then on', async (t) => {
  await set({ rounding: five(null) });
  const shopper = await shopperIn('CH');
  const { id, items } = await place(shopper);
  const recorded = await bodyOf(staff.post(`/admin/orders/${id}/payments`, { amount: chf(2450), method: 'cash' }));
  const refund = (body: object) => bodyOf(staff.post(`/admin/payments/${recorded.id}/refunds`, body));
  const [mugs, pens] = items as { id: string }[];
  // Half of 2235, and 167 of tax.
  t.match(await refund({ items: [{ lineItemId: mugs?.id, quantity: 1 }] }), { amount: chf(1118), tax: chf(84) });
  t.match(await refund({ amount: chf(100) }), { amount: chf(100) });
  await refund({ items: [{ lineItemId: pens?.id, quantity: 1 }] });
  await refund({});
  t.match(await orderOf(id), { refunded: chf(2450), balance: chf(0), paymentStatus: 'refunded' });

  await set({ rounding: five(['cash_on_delivery']) });
  const next = await place(await shopperIn('CH'));
  const part = await bodyOf(staff.post(`/admin/orders/${next.id}/payments`, { amount: chf(1000), method: 'cash' }));
  await bodyOf(staff.post(`/admin/payments/${part.id}/refunds`, { amount: chf(500) }));
  const visitor = box.visitor();
  const session = await visitor.post(`/checkout/${next.id}/payment-sessions`, { paymentMethod: 'cash_on_delivery' });
  t.match(session, { status: 201, body: { total: chf(2448), amount: chf(1448) } });
});

t.test('what costs something is not rounded to nothing', async (t) => {
  const to = { CHF: 1000, KWD: 10_000 };
  await set({ rounding: Object.entries(to).map(([currency, each]) => ({ currency, to: each, methods: null })) });
  const untaxed = await shopperIn('KW');
  t.match(await bodyOf(untaxed.get('/cart')), { totals: { rounding: kwd(7735), total: kwd(10_000) } });
  const shopper = await shopperWith(box, [pen, 1]);
  t.match(await bodyOf(shopper.get('/cart')), { totals: { rounding: chf(785), total: chf(1000) } });
});
