/**
 * The balance of an order: what is charged, less what was received and kept; the same for staff, shoppers and payments.
 */
import { readFile } from 'node:fs/promises';
import { balanceOf as balanceOfAmounts, chargedOf } from '@carton/order';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { statusOf as statusOfAmounts } from '../payments/bookkeeping.ts';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox, pay, place, placeWithPayment, statusOf } from './helpers.ts';

const box = await openBox(t);
const sum = (amount: number) => ({ amount, currency: 'EUR' });
const read = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
const balanceOf = async (id: string) => (await read(id)).balance;

t.test('the balance falls with what is received, and a refund leaves it as it is', async (t) => {
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
  t.strictSame(await balanceOf(orderId), sum(1000), 'refunded at the provider');
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
  t.strictSame([await balanceOf(partly.id), await balanceOf(unpaid.id)], [sum(2500 - 1200), sum(500)]);
  t.strictSame((await other.staff.get(`/admin/orders/${elsewhere.id}`)).body.balance, sum(0));
});

t.test('the table in the README has the amounts and states that are computed', async (t) => {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const table = text.slice(text.indexOf('| case |')).split('\n').slice(2);
  const rows = table.filter((line) => line.startsWith('|')).map((line) => line.split('|').map((cell) => cell.trim()));
  t.equal(rows.length, 24);
  for (const [, name = '', ...cells] of rows) {
    const [paidAmount, refundedAmount, excessRefundedAmount, disputedAmount, charged, balance] = cells
      .slice(0, 6)
      .map(Number);
    const order = {
      status: name.startsWith('canceled') ? ('canceled' as const) : ('placed' as const),
      totalAmount: 3000,
      ...({ paidAmount, refundedAmount, excessRefundedAmount, disputedAmount } as Record<string, number>),
    } as Parameters<typeof balanceOfAmounts>[0];
    t.strictSame(
      [chargedOf(order), balanceOfAmounts(order), `\`${statusOfAmounts(order, { authorized: 0, voided: false })}\``],
      [charged, balance, cells[6]],
      name,
    );
  }
});

const unitsOf = (id: string, quantity: number) => ({ items: [{ lineItemId: id, quantity }] });
const threeUnits = (): Parameters<typeof place>[2] => ({
  lines: [
    {
      ...{ variantId: null, productId: null, sku: null, title: 'Mug', variantTitle: null },
      ...{ quantity: 3, unitAmount: 1000, totalAmount: 3000 },
    },
  ],
});

t.test('what was refunded is not due: not by the link, not for staff, not on the confirmation', async (t) => {
  contribute(t, box, new TestProvider());
  for (const [quantity, paymentStatus] of [
    [1, 'partially_refunded'],
    [3, 'refunded'],
  ] as const) {
    const { id, items } = await place(box, 3000, threeUnits());
    const payment = (await pay(box, id, 3000)).body.id;
    const refunded = await box.staff.post(`/admin/payments/${payment}/refunds`, unitsOf(items[0]?.id ?? '', quantity));
    t.equal(refunded.status, 201);
    const [listed] = (await box.staff.get('/admin/orders?limit=1')).body.items;
    for (const order of [await read(id), listed]) t.match(order, { id, paymentStatus, balance: sum(0) });
    const session = await box.visitor().post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'card' });
    t.match(session, { status: 409, body: { code: 'nothing_to_pay' } });
    t.match(await pay(box, id, 1), { status: 409, body: { code: 'payment_exceeds_balance' } });
  }
});

t.test('of an order that is paid in part the rest stays due, whatever is refunded', async (t) => {
  const provider = new TestProvider();
  contribute(t, box, provider);
  const { id, items } = await place(box, 3000, threeUnits());
  const payment = (await pay(box, id, 2000)).body.id;
  await box.staff.post(`/admin/payments/${payment}/refunds`, unitsOf(items[0]?.id ?? '', 1));
  t.match(await read(id), { paymentStatus: 'partially_refunded', balance: sum(1000) });
  const session = await box.visitor().post(`/checkout/${id}/payment-sessions`, { paymentMethod: 'card' });
  t.match(session, { status: 201, body: { amount: sum(1000) } });
});

t.test('what is received twice is returned as an excess, and a refund by amount returns an excess first', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const [method] = (await box.staff.get('/admin/payment-methods')).body.items;
  await box.staff.patch(`/admin/payment-methods/${method.id}`, { captureMode: 'manual' });
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const recorded = (await pay(box, orderId, 2500)).body.id;
  const report = async (captured: number) => {
    const state = { status: 'captured' as const, captured, refunded: 0 };
    Object.assign(provider.payments.get(id) ?? {}, state);
    await provider.send(box, { id: `${captured}-${id}`, payment: { id, state } });
  };
  await report(2500);
  const refundsOf = async () =>
    (await box.staff.get(`/admin/refunds?orderId=${orderId}`)).body.items.map(
      (refund: Record<'amount' | 'excess' | 'tax', { amount: number }> & { items: unknown[]; status: string }) =>
        [refund.status, refund.amount.amount, refund.excess.amount, refund.tax.amount, refund.items.length].join(' '),
    );
  t.strictSame(await refundsOf(), ['succeeded 2500 2500 0 0']);
  t.match(await read(orderId), {
    paymentStatus: 'paid',
    balance: sum(0),
    items: exactly([{ refunded: { amount: sum(0) } }]),
  });
  await box.staff.post(`/admin/payments/${recorded}/refunds`, { amount: sum(700) });
  t.strictSame(await refundsOf(), ['succeeded 700 0 0 1', 'succeeded 2500 2500 0 0']);
  t.match(await read(orderId), {
    paymentStatus: 'partially_refunded',
    balance: sum(0),
    items: exactly([{ refunded: { amount: sum(700) } }]),
  });
  // Staff hold what a payment by hand has received beyond the total; the shopper is owed it until they pay it back.
  await box.owner.query('update payments set amount = 3500, captured_amount = 3500 where id = $1', [recorded]);
  await box.owner.query('update orders set paid_amount = paid_amount + 1000 where id = $1', [orderId]);
  t.strictSame(await balanceOf(orderId), sum(-1000));
  await box.staff.post(`/admin/payments/${recorded}/refunds`, { amount: sum(1200) });
  t.equal((await refundsOf())[0], 'succeeded 1200 1000 0 1');
  t.match(await read(orderId), { balance: sum(0), items: exactly([{ refunded: { amount: sum(900) } }]) });
});

t.test('a payment that is taken back after the other was returned as an excess is due again', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id } = await placeWithPayment(box, db, 2500);
  const recorded = (await pay(box, orderId, 2500)).body.id;
  const state = { status: 'captured' as const, captured: 2500, refunded: 0 };
  Object.assign(provider.payments.get(id) ?? {}, state);
  await provider.send(box, { id: `twice-${id}`, payment: { id, state } });
  t.equal((await box.staff.post(`/admin/payments/${recorded}/void`)).status, 200);
  t.match(await read(orderId), { paymentStatus: 'unpaid', balance: sum(2500) });
});

t.test('what a pending refund returns is not returned twice', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const { orderId, id: first } = await placeWithPayment(box, db, 2500);
  const { id: second } = await placeWithPayment(box, db, 2500);
  for (const table of ['payments', 'payment_sessions']) {
    await box.owner.query(`update ${table} set order_id = $1 where id = $2`, [orderId, second]);
  }
  const report = async (id: string, captured: number) => {
    const state = { status: 'authorized' as const, captured, refunded: 0 };
    Object.assign(provider.payments.get(id) ?? {}, state);
    await provider.send(box, { id: `${captured}-${id}`, payment: { id, state } });
  };
  const recorded = (await pay(box, orderId, 2000)).body.id;
  provider.before = (call) => {
    if (call === 'refund') throw new Error('away');
  };
  await report(first, 1500);
  t.strictSame(await balanceOf(orderId), sum(-1000));
  await box.staff.post(`/admin/payments/${recorded}/void`);
  await report(second, 2000);
  const { items } = (await box.staff.get(`/admin/refunds?orderId=${orderId}`)).body;
  t.match(items, exactly([{ status: 'pending', amount: sum(1000), excess: sum(1000), paymentId: first }]));
});

t.test('the migration tells which refunds of existing orders were no refunds of what was sold', async (t) => {
  const tenant = await box.openTenant();
  const migration = await import(
    new URL('../migrations/20261126040100_payment_tell_excess_of_refunds.js', import.meta.url).href
  );
  /** An order of release 0.2.0 with the sums of its payments, and what of them was refunded of units or by the box. */
  const existing = async (
    paid: number,
    refunded: number,
    { units = 0, byBox = 0, status = 'placed', paymentStatus = 'partially_refunded' } = {},
  ) => {
    const { id, items } = await place(tenant, 3000, threeUnits());
    const payment = (await pay(tenant, id, 3000)).body.id;
    const path = `/admin/payments/${payment}/refunds`;
    if (units > 0) await tenant.staff.post(path, unitsOf(items[0]?.id ?? '', units));
    if (byBox > 0) await tenant.staff.post(path, { amount: sum(byBox), reason: 'Nothing more was owed' });
    await tenant.db.query('delete from order_refund_items where tenant_id = $1 and order_id = $2 and quantity = 0', [
      id,
    ]);
    await tenant.db.query(
      'update refunds set tax = null where tenant_id = $1 and order_id = $2 and reason is not null',
      [id],
    );
    await tenant.db.query(
      `update orders set paid_amount = $3, refunded_amount = $4, excess_refunded_amount = 0, status = $5,
              canceled_at = case when $5 = 'canceled' then now() end, payment_status = $6
        where tenant_id = $1 and id = $2`,
      [id, paid, refunded, status, paymentStatus],
    );
    return id;
  };
  const cases: [string, expected: [number, string]][] = [
    [await existing(3000, 0, { paymentStatus: 'paid' }), [0, 'paid']],
    [await existing(3000, 1000), [0, 'partially_refunded']],
    [await existing(3000, 3000, { units: 3, paymentStatus: 'refunded' }), [0, 'refunded']],
    [await existing(6000, 3000, { units: 3, paymentStatus: 'paid' }), [-3000, 'refunded']],
    [await existing(4000, 1000, { units: 1, paymentStatus: 'paid' }), [-1000, 'partially_refunded']],
    [await existing(4000, 1000, { paymentStatus: 'paid' }), [0, 'paid']],
    [await existing(3400, 1000), [0, 'partially_refunded']],
    [await existing(2000, 1000, { units: 1 }), [1000, 'partially_refunded']],
    [await existing(6000, 3000, { byBox: 3000, paymentStatus: 'paid' }), [0, 'paid']],
    [await existing(3000, 3000, { byBox: 3000, paymentStatus: 'refunded' }), [3000, 'unpaid']],
    [await existing(3000, 3000, { status: 'canceled', paymentStatus: 'refunded' }), [0, 'refunded']],
    [await existing(3000, 1000, { status: 'canceled' }), [-2000, 'partially_refunded']],
  ];
  const statements: string[] = [];
  await migration.up({ raw: (sql: string) => statements.push(...sql.split(';')) });
  for (const each of statements.slice(1)) if (each.trim() !== '') await box.owner.query(each);
  for (const [at, [id, [balance, paymentStatus]]] of cases.entries()) {
    const order = (await tenant.staff.get(`/admin/orders/${id}`)).body;
    t.strictSame([order.balance.amount, order.paymentStatus], [balance, paymentStatus], `case ${at}`);
  }
});
