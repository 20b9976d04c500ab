/**
 * Orders that nothing is paid of in time are canceled; a payment that arrives at the same moment comes before or after.
 */
import { cancelOverdue } from '@carton/order';
import { createTestBox, until } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, makeArticle, shopperWith } from './tenant.ts';

const box = await createTestBox(t, { tier: 'basic' });
const settings = '/admin/checkout-settings';
const mug = await makeArticle(box, 'mug', 1250, 1000);
const onHand = async () => (await box.staff.get(`/admin/stock-items/${mug.stockItemId}`)).body.onHand;
const orderOf = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const paid = { amount: { amount: 1250, currency: 'EUR' }, method: 'bank transfer' };

async function placed() {
  const { status, body } = await (await shopperWith(box, [mug, 1])).post('/checkout', buyer);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const letTimePass = (...ids: string[]) =>
  box.db.query("update orders set pay_by = now() - interval '1 second' where tenant_id = $1 and id = any($2)", [ids]);

t.test('an order keeps the time that held when it was placed', async (t) => {
  const endless = await placed();
  t.equal(endless.payBy, null);
  await box.staff.patch(settings, { unpaidOrderMinutes: 60 });
  const order = await placed();
  const minutes = (Date.parse(order.payBy) - Date.now()) / 60_000;
  t.ok(minutes > 55 && minutes <= 60);
  const late = await placed();
  const settled = await placed();
  t.equal((await box.staff.post(`/admin/orders/${settled.id}/payments`, paid)).status, 201);
  await letTimePass(late.id, settled.id);
  const before = await onHand();
  await cancelOverdue(box.db);
  t.equal(await onHand(), before + 1, 'its stock returns, once');
  await cancelOverdue(box.db);
  t.equal(await onHand(), before + 1);
  t.match(await orderOf(late.id), { status: 'canceled', paymentStatus: 'voided' });
  for (const { id } of [endless, order, settled]) t.match(await orderOf(id), { status: 'placed' });
  const [entry] = (await box.staff.get(`/admin/orders/${late.id}/timeline`)).body.items.filter(
    ({ type }: { type: string }) => type === 'canceled',
  );
  t.match(entry, { message: 'Canceled: Not paid in time', actor: { type: 'system' } });
});

t.test('the box sees to it', async () => {
  const { id } = await placed();
  await letTimePass(id);
  await box.db.query(
    "update background_tasks set due_at = now() where tenant_id = $1 and name = 'order.cancel-overdue'",
  );
  await until(
    () => orderOf(id),
    ({ status }) => status === 'canceled',
  );
});

t.test('of a payment and the end of its time one comes first, and neither is lost', async (t) => {
  const ends = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const { id } = await placed();
    await letTimePass(id);
    const before = await onHand();
    const pay = () => box.staff.post(`/admin/orders/${id}/payments`, paid);
    const both: [() => Promise<unknown>, () => Promise<unknown>] = [pay, () => cancelOverdue(box.db)];
    const answers = await Promise.all((round % 2 ? both : both.toReversed()).map((begin) => begin()));
    const payment = answers.find((answer) => answer !== undefined) as { status: number };
    const { status, paymentStatus } = await orderOf(id);
    ends.add(status);
    if (payment.status === 201) t.strictSame([status, paymentStatus, await onHand()], ['placed', 'paid', before]);
    else t.strictSame([payment.status, status, await onHand()], [409, 'canceled', before + 1]);
  }
  t.comment(`ends: ${[...ends]}`);
});
