/**
 * Manual payments: the order is placed with its payment pending, and staff record when money moves.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, placeWithPayment, statusOf, timelineOf } from './helpers.ts';

const box = await openBox(t, { PAYMENT_ADAPTERS: 'manual' });
const eur = (amount: number) => ({ amount: { amount, currency: 'EUR' } });
const step = (id: string, what: string, body?: unknown) => box.staff.post(`/admin/payments/${id}/${what}`, body);

t.test('manual methods are offered, and never captured automatically', async (t) => {
  const methods = [{ code: 'bank_transfer' }, { code: 'cash_on_delivery' }];
  t.match((await box.visitor().get('/payment-methods')).body, { items: exactly(methods) });
  const { items } = (await box.staff.get('/admin/payment-methods')).body;
  t.match(items, exactly([{ provider: 'manual', captureMode: 'manual' }, { captureMode: 'manual' }]));
  t.match(await box.staff.patch(`/admin/payment-methods/${items[0].id}`, { captureMode: 'automatic' }), {
    status: 400,
    body: {
      errors: exactly([{ pointer: '/captureMode', detail: 'must be manual: staff record when this money arrives' }]),
    },
  });
  t.match((await box.staff.get('/admin/payment-methods')).body, { items: exactly([{ captureMode: 'manual' }, {}]) });
  t.match(await box.staff.patch(`/admin/payment-methods/${items[0].id}`, { captureMode: 'manual', position: 0 }), {
    status: 200,
  });
});

t.test('staff capture in parts and refund', async (t) => {
  const { orderId, id } = await placeWithPayment(box, box.db, 2500, 'bank_transfer');
  const payment = (await box.staff.get(`/admin/payments/${id}`)).body;
  t.match(payment, { status: 'pending', captureMode: 'manual', reference: id.slice(-10).toUpperCase() });
  t.equal(await statusOf(box, orderId), 'unpaid');
  t.match(await step(id, 'refunds'), { status: 409, body: { code: 'payment_step_not_possible' } });
  t.match(await step(id, 'capture', eur(2501)), { status: 409 });
  t.match(await step(id, 'capture', eur(1000)), { status: 200, body: { status: 'pending' } });
  t.equal(await statusOf(box, orderId), 'partially_paid');
  t.match(await step(id, 'capture'), { status: 200, body: { status: 'captured', captured: { amount: 2500 } } });
  t.equal(await statusOf(box, orderId), 'paid');
  t.match(await step(id, 'refunds', eur(500)), { status: 201, body: { status: 'succeeded' } });
  t.equal(await statusOf(box, orderId), 'partially_refunded');
  t.strictSame((await timelineOf(box, orderId)).slice(0, 3), [
    'Refunded 5.00 EUR by bank_transfer',
    'Received 15.00 EUR by bank_transfer',
    'Received 10.00 EUR by bank_transfer',
  ]);
});

t.test('without an amount, staff capture what is still owed', async (t) => {
  const { orderId, id } = await placeWithPayment(box, box.db, 2500, 'bank_transfer');
  const record = (amount: number) =>
    box.staff.post(`/admin/orders/${orderId}/payments`, { ...eur(amount), method: 'cash' });
  t.match(await record(2000), { status: 201 });
  t.match(await step(id, 'capture'), { status: 200, body: { status: 'pending', captured: { amount: 500 } } });
  t.equal(await statusOf(box, orderId), 'paid');
  t.match(await step(id, 'capture'), {
    status: 409,
    body: { code: 'payment_step_not_possible', detail: /Nothing more is owed.* Send the amount if more was received/ },
  });
  t.match(await step(id, 'capture', eur(100)), { status: 200, body: { captured: { amount: 600 } } });
});

t.test('voiding keeps what was received', async (t) => {
  const none = await placeWithPayment(box, box.db, 2500, 'cash_on_delivery');
  t.match(await step(none.id, 'void'), { status: 200, body: { status: 'voided' } });
  t.equal(await statusOf(box, none.orderId), 'voided');
  const part = await placeWithPayment(box, box.db, 2500, 'cash_on_delivery');
  await step(part.id, 'capture', eur(700));
  t.match(await step(part.id, 'void'), { status: 200, body: { status: 'captured', captured: { amount: 700 } } });
  t.equal(await statusOf(box, part.orderId), 'partially_paid');
});

t.test('what was received for a canceled order is paid back by staff alone', async (t) => {
  const { orderId, id } = await placeWithPayment(box, box.db, 2500, 'cash_on_delivery');
  await step(id, 'capture');
  await box.staff.post(`/admin/orders/${orderId}/cancel`);
  t.equal((await timelineOf(box, orderId))[0], '25.00 EUR was received and must be paid back');
  await step(id, 'refunds', eur(500));
  t.match((await box.staff.get(`/admin/refunds?orderId=${orderId}`)).body.items, exactly([eur(500)]));
  t.match(await box.staff.get(`/admin/orders/${orderId}`), { body: { balance: { amount: -2000 } } });
  await step(id, 'refunds');
  t.match(await box.staff.get(`/admin/orders/${orderId}`), { body: { balance: { amount: 0 } } });
});

t.test('the manual adapter rejects webhooks', async (t) => {
  const response = await box.visitor().post('/payments/webhooks/manual', {});
  t.match(response, { status: 400, body: { code: 'webhook_signature_invalid' } });
});
