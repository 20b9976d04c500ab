/**
 * The balance of an order: charged − paid + refunded, the same for staff, shoppers and recorded payments.
 */
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, place, placeWithPayment, statusOf } from './helpers.ts';

const box = await openBox(t);
const sum = (amount: number) => ({ amount, currency: 'EUR' });
const read = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const balanceOf = async (id: string) => (await read(id)).balance;

t.test('the balance falls with what is received and rises with what is refunded', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const [method] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${method.id}`, { captureMode: 'manual' });
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  t.strictSame(await balanceOf(orderId), sum(2500));
  const report = (captured: number, refunded: number) =>
    provider.send(box, {
      id: `${captured}-${refunded}-${id}`,
      payment: { id, state: { status: 'authorized', captured, refunded } },
    });
  await report(700, 0);
  t.strictSame(await balanceOf(orderId), sum(1800));
  t.match(await pay(box, orderId, 1801), { status: 409, body: { detail: '18.00 EUR is owed.' } });
  await pay(box, orderId, 300);
  t.strictSame(await balanceOf(orderId), sum(1500));
  await report(1200, 0);
  t.strictSame(await balanceOf(orderId), sum(1000), 'even if the state does not change');
  await report(1200, 200);
  t.strictSame(await balanceOf(orderId), sum(1200));
  t.equal((await read(orderId)).totals.total.amount, 2500, 'the total does not change');
});

t.test('a canceled order is charged nothing: its balance is negative until what was paid is refunded', async (t) => {
  const { id } = await place(box, 2500);
  const payment = (await pay(box, id, 1000)).body.id;
  const canceled = await box.staff.post(`/admin/orders/${id}/cancel`);
  t.match(canceled.body, { status: 'canceled', paymentStatus: 'partially_paid', balance: sum(-1000) });
  await box.staff.post(`/admin/payments/${payment}/refunds`, { amount: sum(400) });
  t.strictSame(await balanceOf(id), sum(-600));
  await box.staff.post(`/admin/payments/${payment}/refunds`);
  t.strictSame(await balanceOf(id), sum(0));
  t.equal(await statusOf(box, id), 'refunded');
  const unpaid = await place(box, 2500);
  t.match((await box.staff.post(`/admin/orders/${unpaid.id}/cancel`)).body, { balance: sum(0) });
});

t.test('the migration computes balances of existing orders from their payments', async (t) => {
  const other = await box.openTenant();
  const partly = await place(box, 2500);
  const unpaid = await place(box, 500);
  const elsewhere = await place(other, 900);
  const { id } = (await pay(box, partly.id, 1000)).body;
  await pay(box, partly.id, 200);
  await pay(other, elsewhere.id, 900);
  await box.staff.post(`/admin/payments/${id}/refunds`, { amount: sum(300) });
  await box.owner.query('update orders set paid_amount = 0, refunded_amount = 0');
  const migration = new URL('../migrations/20261122014010_payment_fill_balances.js', import.meta.url);
  const { up } = await import(migration.href);
  await up({ raw: (sql: string) => box.owner.query(sql) });
  t.strictSame([await balanceOf(partly.id), await balanceOf(unpaid.id)], [sum(2500 - 1200 + 300), sum(500)]);
  t.strictSame((await other.staff.get(`/admin/orders/${elsewhere.id}`)).body.balance, sum(0));
});
