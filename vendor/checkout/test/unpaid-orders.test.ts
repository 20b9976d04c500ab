/**
 * Orders that are not paid in time are canceled where they could have been paid online, unless they are paid by hand or
 * staff have acted on them; a concurrent payment takes effect either before or not at all.
 */

import { shopperWith } from '@carton/cart/testing';
import { cancelOverdue, paymentDueMail, remindUnpaid } from '@carton/order/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { createTestBox, eventsOf, extendBox, until } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const settings = '/admin/checkout-settings';
const mug = await createArticle(box, 'mug', 1250, 1000);
const onHand = async () => (await box.staff.get(`/admin/stock-items/${mug.stockItemId}`)).body.onHand;
const orderOf = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const paid = { amount: { amount: 1250, currency: 'EUR' }, method: 'bank transfer' };

async function placed() {
  const { status, body } = await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const expire = (...ids: string[]) =>
  box.db.query("update orders set pay_by = now() - interval '1 second' where tenant_id = $1 and id = any($2)", [ids]);

const minutesOf = async () => [
  (await box.staff.get(settings)).body.unpaidOrderMinutes,
  (await box.staff.get('/admin/store')).body.settings.checkout.unpaidOrderMinutes,
];

t.test('new stores wait a week where orders can be paid online; others for staff', async (t) => {
  t.strictSame(await minutesOf(), [0, 0], 'with the default adapter');
  t.equal((await placed()).payBy, null);
  extendBox(t, box, [paymentAdapters.with(new TestProvider())]);
  t.strictSame(await minutesOf(), [10_080, 10_080]);
  const days = (Date.parse((await placed()).payBy) - Date.now()) / 86_400_000;
  t.ok(days > 6.9 && days <= 7, `${days}`);
  const setVersion = (version: number) =>
    box.db.query('update stores set default_version = $2, updated_at = now() where tenant_id = $1', [version]);
  await setVersion(1);
  await box.staff.patch('/admin/store', { name: 'Older' });
  t.strictSame(await minutesOf(), [0, 0], 'a store of before keeps its value');
  await setVersion(2);
  await box.staff.patch('/admin/store', { name: 'New' });
  t.strictSame(await minutesOf(), [10_080, 10_080]);
});

t.test('an order that was to be paid by hand returns to its payBy with another method', async (t) => {
  const byHand = Object.assign(new TestProvider('transfer', ['bank_transfer']), { byHand: true });
  const card = new TestProvider();
  byHand.confirmed = 'pending';
  card.confirmed = 'pending';
  extendBox(t, box, [paymentAdapters.with(byHand), paymentAdapters.with(card)]);
  const shopper = await shopperWith(box, [mug, 1]);
  const { id, payBy } = (await shopper.post('/checkout', buyer)).body;
  t.ok(payBy);
  const choose = async (paymentMethod: string) => {
    const { status } = await shopper.post(`/checkout/${id}/payment-sessions`, { paymentMethod });
    return [status, (await orderOf(id)).payBy];
  };
  t.strictSame(await choose('bank_transfer'), [201, null]);
  t.strictSame(await choose('card'), [201, payBy]);
  t.strictSame(await choose('bank_transfer'), [201, null]);
  await box.db.query("update orders set held_pay_by = now() - interval '1 hour' where tenant_id = $1 and id = $2", [
    id,
  ]);
  const [, again] = await choose('card');
  const hours = (Date.parse(again as string) - Date.now()) / 3_600_000;
  t.ok(hours > 23.9 && hours <= 24, `at least a day is left: ${hours} hours`);
  t.strictSame(await choose('bank_transfer'), [201, null]);
  await box.staff.post(`/admin/orders/${id}/notes`, { note: 'Promised' });
  t.strictSame(await choose('card'), [201, null], 'unless staff have acted on it');
});

t.test('orders that are paid by hand, or that staff have acted on, wait for staff', async (t) => {
  const provider = new TestProvider('transfer', ['bank_transfer']);
  Object.assign(provider, { byHand: true });
  extendBox(t, box, [paymentAdapters.with(provider), paymentAdapters.with(new TestProvider())]);
  provider.confirmed = 'pending';
  const shopper = await shopperWith(box, [mug, 1]);
  const { body: chosen } = await shopper.post('/checkout', { ...buyer, paymentMethod: 'bank_transfer' });
  t.match(chosen, { status: 'placed', paymentStatus: 'unpaid', payBy: null });
  const later = await placed();
  t.ok(later.payBy);
  t.equal(
    (await shopper.post(`/checkout/${later.id}/payment-sessions`, { paymentMethod: 'bank_transfer' })).status,
    201,
  );
  t.equal((await orderOf(later.id)).payBy, null);
  for (const act of [
    (id: string) => box.staff.post(`/admin/orders/${id}/notes`, { note: 'Called' }),
    (id: string) => box.staff.patch(`/admin/orders/${id}`, { tags: ['vip'] }),
    (id: string) => box.staff.post(`/admin/orders/${id}/archive`),
    (id: string) => box.staff.post(`/admin/orders/${id}/fulfillments`),
  ]) {
    const order = await placed();
    t.ok(order.payBy);
    t.ok((await act(order.id)).status < 300);
    t.equal((await orderOf(order.id)).payBy, null);
  }
});

t.test('the shopper is reminded once, a day before', async (t) => {
  extendBox(t, box, [paymentAdapters.with(new TestProvider())]);
  const [early, due, short] = [await placed(), await placed(), await placed()];
  const set = (id: string, payBy: string, createdAt: string) =>
    box.db.query(
      `update orders set pay_by = now() + $3::interval, created_at = now() - $4::interval where tenant_id = $1 and id = $2`,
      [id, payBy, createdAt],
    );
  await set(early.id, '25 hours', '6 days');
  await set(due.id, '23 hours', '6 days');
  await set(short.id, '23 hours', '30 minutes');
  await Promise.all([remindUnpaid(box.db), remindUnpaid(box.db)]);
  await remindUnpaid(box.db);
  const reminders = await eventsOf<{ number: string }>(box, { type: 'order.cancellation_announced' });
  t.strictSame(
    reminders.map(({ payload }) => payload.number),
    [due.number],
  );
  const compose = () => paymentDueMail.compose?.(box.db, reminders[0] as never);
  t.match(await compose(), { to: buyer.customer.email, data: { order: { number: due.number } } });
  await box.staff.post(`/admin/orders/${due.id}/payments`, paid);
  t.equal(await compose(), null, 'not once it is paid');
});

t.test('the deadline of an order is fixed when it is placed', async (t) => {
  const unlimited = await placed();
  t.equal(unlimited.payBy, null);
  await box.staff.patch(settings, { unpaidOrderMinutes: 60 });
  const order = await placed();
  const minutes = (Date.parse(order.payBy) - Date.now()) / 60_000;
  t.ok(minutes > 55 && minutes <= 60);
  const late = await placed();
  const paidOrder = await placed();
  t.equal((await box.staff.post(`/admin/orders/${paidOrder.id}/payments`, paid)).status, 201);
  await expire(late.id, paidOrder.id);
  const before = await onHand();
  await cancelOverdue(box.db);
  t.equal(await onHand(), before + 1, 'its stock is restocked once');
  await cancelOverdue(box.db);
  t.equal(await onHand(), before + 1);
  t.match(await orderOf(late.id), { status: 'canceled', paymentStatus: 'voided' });
  for (const { id } of [unlimited, order, paidOrder]) t.match(await orderOf(id), { status: 'placed' });
  const [entry] = (await box.staff.get(`/admin/orders/${late.id}/timeline`)).body.items.filter(
    ({ type }: { type: string }) => type === 'canceled',
  );
  t.match(entry, { message: 'Canceled: Not paid in time', actor: { type: 'system' } });
});

t.test('a background job cancels overdue orders', async () => {
  const { id } = await placed();
  await expire(id);
  await box.db.query(
    "update background_tasks set due_at = now() where tenant_id = $1 and name = 'order.cancel-overdue'",
  );
  await until(
    () => orderOf(id),
    ({ status }) => status === 'canceled',
  );
});

t.test('of a payment and a concurrent cancellation exactly one succeeds', async (t) => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const { id } = await placed();
    await expire(id);
    const before = await onHand();
    const pay = () => box.staff.post(`/admin/orders/${id}/payments`, paid);
    const both: [() => Promise<unknown>, () => Promise<unknown>] = [pay, () => cancelOverdue(box.db)];
    const answers = await Promise.all((round % 2 ? both : both.toReversed()).map((start) => start()));
    const payment = answers.find((answer) => answer !== undefined) as { status: number };
    const { status, paymentStatus } = await orderOf(id);
    outcomes.add(status);
    if (payment.status === 201) t.strictSame([status, paymentStatus, await onHand()], ['placed', 'paid', before]);
    else t.strictSame([payment.status, status, await onHand()], [409, 'canceled', before + 1]);
  }
  t.comment(`outcomes: ${[...outcomes]}`);
});
