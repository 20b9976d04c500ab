/**
 * The fee of an order follows the choice of its payment method, as long as no money was received or is held by the method
 * that was chosen before.
 */
import { paymentRefused } from '@carton/payment';
import { newId } from '@carton/runtime';
import { bodyOf, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, place, timelineOf } from './helpers.ts';

const box = await openBox(t, { PAYMENT_ADAPTERS: 'manual' });
const provider = new TestProvider();
contribute(t, box, provider);
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const methods: { id: string; code: string }[] = (await box.staff.get('/admin/payment-methods')).body.items;
const change = (code: string, values: object) =>
  bodyOf(box.staff.patch(`/admin/payment-methods/${methods.find((each) => each.code === code)?.id}`, values));
await change('cash_on_delivery', { fees: [eur(500)] });
await change('wallet', { fees: [eur(300)], name: 'eWallet', captureMode: 'manual' });

const choose = (orderId: string, paymentMethod: string) =>
  box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });
const read = async (orderId: string) => (await box.staff.get(`/admin/orders/${orderId}`)).body;

/** Total, amount owed, payment status, and the fees of an order. */
async function costOf(orderId: string) {
  const { totals, balance, paymentStatus, adjustments } = await read(orderId);
  const fees = adjustments.map(({ code, amount }: { code: string; amount: { amount: number } }) => [
    code,
    amount.amount,
  ]);
  return [totals.total.amount, balance.amount, paymentStatus, fees];
}
const cash = ['payment:cash_on_delivery', 500];
const wallet = ['payment:wallet', 300];

/** Method, status and amount of the payments of an order, oldest first. */
async function paymentsOf(orderId: string) {
  const { items } = (await box.staff.get(`/admin/payments?orderId=${orderId}`)).body;
  return items
    .toReversed()
    .map(({ method, status, amount }: { method: string; status: string; amount: { amount: number } }) => [
      ...[method, status, amount.amount],
    ]);
}

async function report(id: string, state: ReturnType<TestProvider['stateOf']>) {
  Object.assign(provider.payments.get(id) ?? {}, state);
  await provider.send(box, { id: newId(), payment: { id, state } });
}

t.test('the fee of the chosen method takes the place of the former one', async (t) => {
  const { id } = await place(box, 1177);
  const session = await choose(id, 'cash_on_delivery');
  t.match(session, { status: 201, body: { amount: eur(1677), total: eur(1677) } });
  t.strictSame(await costOf(id), [1677, 1677, 'unpaid', [cash]]);
  t.match((await read(id)).totals, { subtotal: eur(1177), shipping: eur(500), tax: eur(0) });
  t.match((await choose(id, 'cash_on_delivery')).body, { id: session.body.id, total: eur(1677) }, 'the same again');
  t.match((await choose(id, 'wallet')).body, { amount: eur(1477), total: eur(1477) });
  t.strictSame(await costOf(id), [1477, 1477, 'unpaid', [wallet]]);
  t.match((await choose(id, 'bank_transfer')).body, { amount: eur(1177), total: eur(1177) });
  t.strictSame(await costOf(id), [1177, 1177, 'unpaid', []]);
  t.strictSame(await paymentsOf(id), [
    ['cash_on_delivery', 'voided', 1677],
    ['wallet', 'voided', 1477],
    ['bank_transfer', 'pending', 1177],
  ]);
  const told = (await timelineOf(box, id)).toReversed().filter((message) => message.startsWith('The fee'));
  t.strictSame(told, [
    'The fee of cash on delivery was added: 5.00 EUR',
    'The fee of cash on delivery was removed: 5.00 EUR',
    'The fee of eWallet was added: 3.00 EUR',
    'The fee of eWallet was removed: 3.00 EUR',
  ]);
  const events = await eventTypesOf(box, { type: /^order\./, resourceId: id });
  t.strictSame(events, ['order.placed', ...Array(3).fill(['order.updated', 'order.charges_changed']).flat()]);
});

t.test('it is the fee of the order’s currency, as it is configured at the choice', async (t) => {
  const other = await place(box, 1177, { currency: 'USD' });
  t.match((await choose(other.id, 'cash_on_delivery')).body, { total: { amount: 1177, currency: 'USD' } });
  const { id } = await place(box, 1177);
  await choose(id, 'cash_on_delivery');
  await change('cash_on_delivery', { fees: [eur(200)] });
  t.strictSame(await costOf(id), [1677, 1677, 'unpaid', [cash]], 'a setting changes no order');
  t.match((await choose(id, 'cash_on_delivery')).body, { amount: eur(1377) });
  t.strictSame(await costOf(id), [1377, 1377, 'unpaid', [['payment:cash_on_delivery', 200]]]);
  await change('cash_on_delivery', { fees: [eur(500)] });
});

t.test('the fee of a method that has received money stays', async (t) => {
  const { id } = await place(box, 1177);
  const { body: session } = await choose(id, 'cash_on_delivery');
  await bodyOf(box.staff.post(`/admin/payments/${session.id}/capture`, { amount: eur(600) }));
  await bodyOf(box.staff.post(`/admin/payments/${session.id}/void`, {}));
  t.match((await choose(id, 'bank_transfer')).body, { amount: eur(1077), total: eur(1677) });
  t.strictSame(await costOf(id), [1677, 1077, 'partially_paid', [cash]]);
  t.match((await choose(id, 'wallet')).body, { amount: eur(1377), total: eur(1977) }, 'and the chosen one is added');
  t.match((await choose(id, 'cash_on_delivery')).body, { amount: eur(1077), total: eur(1677) }, 'but none twice');
  t.strictSame(await costOf(id), [1677, 1077, 'partially_paid', [cash]]);
});

t.test('the fee of a method that holds an authorization stays', async (t) => {
  const { id } = await place(box, 1177);
  const { body: session } = await choose(id, 'wallet');
  await box.owner.query('update payments set amount = 1000 where id = $1', [session.id]);
  await report(session.id, { status: 'authorized', captured: 0, refunded: 0 });
  t.match((await choose(id, 'bank_transfer')).body, { amount: eur(477), total: eur(1477) });
  t.strictSame(await costOf(id), [1477, 1477, 'authorized', [wallet]]);
  await bodyOf(box.staff.post(`/admin/payments/${session.id}/void`, {}));
  t.match((await choose(id, 'bank_transfer')).body, { amount: eur(1177), total: eur(1177) }, 'until it is voided');
});

t.test('a fee of which some was refunded stays', async (t) => {
  const { id } = await place(box, 1177);
  await choose(id, 'cash_on_delivery');
  const { body: paid } = await pay(box, id, 700);
  await bodyOf(box.staff.post(`/admin/payments/${paid.id}/refunds`, { amount: eur(167) }));
  t.match((await read(id)).adjustments, exactly([{ refunded: eur(50) }]));
  t.match((await choose(id, 'bank_transfer')).body, { amount: eur(977), total: eur(1677) });
});

t.test('if nothing else is left to pay, the fee is removed and the order is paid', async (t) => {
  const { id } = await place(box, 1177);
  await choose(id, 'cash_on_delivery');
  await pay(box, id, 1177);
  t.strictSame(await costOf(id), [1677, 500, 'partially_paid', [cash]]);
  t.match(await choose(id, 'wallet'), { status: 409, body: { code: 'nothing_to_pay' } });
  t.strictSame(await costOf(id), [1177, 0, 'paid', []]);
  t.strictSame(await paymentsOf(id), [
    ['cash_on_delivery', 'voided', 1677],
    ['bank_transfer', 'captured', 1177],
  ]);
  t.match(await choose(id, 'cash_on_delivery'), { status: 409, body: { code: 'nothing_to_pay' } });
  t.strictSame(await costOf(id), [1177, 0, 'paid', []], 'a paid order gets no fee');
});

t.test('a fee that is paid in part stays, so that nothing is owed to the shopper', async (t) => {
  const { id } = await place(box, 1177);
  await choose(id, 'cash_on_delivery');
  await pay(box, id, 1200);
  t.match((await choose(id, 'wallet')).body, { amount: eur(477), total: eur(1677) });
  t.strictSame(await costOf(id), [1677, 477, 'partially_paid', [cash]]);
});

t.test('the fee of a method whose payment is refused is removed', async (t) => {
  const { id } = await place(box, 1177);
  await choose(id, 'cash_on_delivery');
  provider.before = (call) => {
    if (call === 'initiate') throw paymentRefused('Not this one.');
  };
  t.match(await choose(id, 'wallet'), { status: 409, body: { code: 'payment_refused' } });
  provider.before = () => {};
  t.strictSame(await costOf(id), [1177, 1177, 'voided', []]);
  t.match((await choose(id, 'wallet')).body, { amount: eur(1477) });
});

t.test('while a provider is away, the fee of the last choice stays for the retry', async (t) => {
  const { id } = await place(box, 1177);
  provider.before = (call) => {
    if (call === 'initiate') throw new Error('away');
  };
  t.match(await choose(id, 'wallet'), { status: 502 });
  provider.before = () => {};
  t.strictSame(await costOf(id), [1477, 1477, 'unpaid', [wallet]]);
  t.match((await choose(id, 'wallet')).body, { amount: eur(1477), total: eur(1477) });
  t.equal((await paymentsOf(id)).length, 1);
});

t.test('a pending order is re-priced too, and placed with the fee of a method by hand', async (t) => {
  const pendingUntil = new Date(Date.now() + 3_600_000);
  const { id } = await place(box, 1177, { pendingUntil });
  t.match((await choose(id, 'wallet')).body, { amount: eur(1477) });
  t.match(await read(id), { status: 'pending', totals: { total: eur(1477) } });
  t.match((await choose(id, 'cash_on_delivery')).body, { amount: eur(1677) });
  t.match(await read(id), { status: 'placed', totals: { total: eur(1677) } });
});

t.test('a canceled order gets no fee', async (t) => {
  const { id } = await place(box, 1177);
  await bodyOf(box.staff.post(`/admin/orders/${id}/cancel`));
  t.match(await choose(id, 'cash_on_delivery'), { status: 409, body: { code: 'order_already_canceled' } });
  t.equal((await read(id)).totals.total.amount, 1177);
});

t.test('what is paid by a method that was replaced meanwhile is not above what is owed', async (t) => {
  const { id } = await place(box, 1177);
  const { body: session } = await choose(id, 'wallet');
  provider.before = (call) => {
    if (call === 'void') throw new Error('away');
  };
  await choose(id, 'bank_transfer');
  provider.before = () => {};
  await report(session.id, { status: 'captured', captured: 1477, refunded: 0 });
  const order = await read(id);
  t.match(order, { totals: { total: eur(1177) }, paymentStatus: 'paid' });
  const refunds = (await box.staff.get(`/admin/refunds?orderId=${id}`)).body.items;
  t.match(refunds, exactly([{ amount: eur(300), excess: eur(300) }]));
});
