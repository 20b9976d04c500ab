/**
 * Orders that are not paid in time are canceled; a concurrent payment takes effect either before or not at all.
 */
import { shopperWith } from '@carton/cart/testing';
import { cancelOverdue } from '@carton/order';
import { createTestBox, until } from '@carton/runtime/testing';
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
