/**
 * Recorded payments are refunded and reversed by bookkeeping alone, without an adapter.
 */

import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { refundPayment } from '../refunds/service.ts';
import { amountsOf, openBox, pay, place, statusOf, timelineOf } from './helpers.ts';

const box = await openBox(t);
const eur = (amount: number) => ({ amount: { amount, currency: 'EUR' } });
const step = (id: string, what: string, body?: unknown, headers?: Record<string, string>) =>
  box.staff.post(`/admin/payments/${id}/${what}`, body, { headers });
const balanceOf = async (orderId: string) =>
  (await box.staff.get(`/admin/orders/${orderId}`)).body.balance as { amount: number; currency: string };
const sum = (amount: number) => ({ amount, currency: 'EUR' });
const refundedOf = async (id: string) => (await box.staff.get(`/admin/payments/${id}`)).body.refunded;

/** An order of 25.00 with a recorded payment of `amount`. */
async function paid(amount: number) {
  const { id: orderId } = await place(box, 2500);
  return { orderId, id: (await pay(box, orderId, amount)).body.id as string };
}

t.test('a recorded payment is refunded in parts, never beyond what was received', async (t) => {
  const { orderId, id } = await paid(2500);
  const first = await step(id, 'refunds', { ...eur(400), reason: 'Arrived broken' });
  t.match(first, {
    status: 201,
    body: { paymentId: id, provider: 'offline', status: 'succeeded', amount: sum(400), reason: 'Arrived broken' },
  });
  t.equal(await statusOf(box, orderId), 'partially_refunded');
  t.strictSame(await balanceOf(orderId), sum(0));
  t.match(await step(id, 'refunds', eur(2101)), {
    status: 409,
    body: { code: 'payment_step_not_possible', detail: 'At most 21.00 EUR is left to refund.' },
  });
  t.match(await step(id, 'refunds', { amount: { amount: 1, currency: 'USD' } }), { status: 400 });
  const responses = await Promise.all(Array.from({ length: 4 }, () => step(id, 'refunds', eur(1000))));
  t.strictSame(responses.map(({ status }) => status).sort(), [201, 201, 409, 409], 'concurrent refunds');
  t.match(await step(id, 'refunds'), { status: 201, body: { amount: sum(100) } }, 'the default is the rest');
  t.match(await step(id, 'refunds'), {
    status: 409,
    body: { detail: '25.00 EUR of this payment was refunded, so nothing is left to refund.' },
  });
  t.equal(await statusOf(box, orderId), 'refunded');
  t.strictSame(await balanceOf(orderId), sum(0));
  t.strictSame(await amountsOf(box, id), [
    'payment.captured 2500',
    'refund.created 400',
    'refund.created 1000',
    'refund.created 1000',
    'refund.created 100',
  ]);
  const { items } = (await box.staff.get(`/admin/refunds?paymentId=${id}`)).body;
  t.equal(items.length, 4);
});

t.test('members named like methods of objects are members', async (t) => {
  const { id } = await paid(2500);
  const part = { code: 'standard', ...eur(1) };
  for (const other of [{ toString: null }, { valueOf: 1 }, { ...part, valueOf: 'a' }, { constructor: {} }]) {
    for (const shipping of [
      [part, other],
      [other, part],
    ]) {
      const at = `/shipping/${shipping.indexOf(other)}/${Object.keys(other).at(-1)}`;
      const { status, body } = await step(id, 'refunds', { ...eur(1), shipping });
      t.equal(status, 400, JSON.stringify(other));
      t.ok(body.errors.some(({ pointer }: { pointer: string }) => pointer === at));
    }
  }
});

t.test('the same work is performed once', async (t) => {
  const { id } = await paid(2500);
  const request = { workId: newId(), ...eur(400) };
  const first = await refundPayment(box.db, id, request);
  t.strictSame(await refundPayment(box.db, id, request), first);
  t.strictSame(await refundedOf(id), sum(400));
});

t.test('what was refunded is not owed again, but the rest of the order still is', async (t) => {
  const { orderId, id } = await paid(2500);
  await step(id, 'refunds', eur(1000));
  t.match(await pay(box, orderId, 1), { status: 409, body: { detail: '0.00 EUR is owed.' } });
  const partly = await paid(1000);
  await step(partly.id, 'refunds');
  t.equal(await statusOf(box, partly.orderId), 'refunded', 'nothing is kept');
  t.strictSame(await balanceOf(partly.orderId), sum(1500));
  t.match(await pay(box, partly.orderId, 1501), { status: 409, body: { detail: '15.00 EUR is owed.' } });
  t.match(await pay(box, partly.orderId, 1500), { status: 201 });
  t.equal(await statusOf(box, partly.orderId), 'partially_refunded');
  t.strictSame(await balanceOf(partly.orderId), sum(0));
});

t.test('a payment recorded by mistake is voided once, and its amount is owed again', async (t) => {
  const { orderId, id } = await paid(1000);
  await pay(box, orderId, 1500);
  t.equal(await statusOf(box, orderId), 'paid');
  const responses = await Promise.all([step(id, 'void'), step(id, 'void')]);
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 409]);
  t.match(await box.staff.get(`/admin/payments/${id}`), {
    body: {
      status: 'voided',
      amount: sum(1000),
      captured: sum(0),
      transactions: exactly([
        { type: 'capture', amount: sum(1000) },
        { type: 'void', amount: sum(1000), actor: { type: 'staff', label: box.email } },
      ]),
    },
  });
  t.equal(await statusOf(box, orderId), 'partially_paid');
  t.strictSame(await balanceOf(orderId), sum(1000));
  t.strictSame(await amountsOf(box, id), ['payment.captured 1000', 'payment.voided 1000']);
  t.equal((await timelineOf(box, orderId))[0], 'Reversed 10.00 EUR by bank_transfer');
  const only = await paid(2500);
  await step(only.id, 'void');
  t.equal(await statusOf(box, only.orderId), 'unpaid', 'as if it had never been recorded');
  const refunded = await paid(2500);
  await step(refunded.id, 'refunds', eur(1));
  t.match(await step(refunded.id, 'void'), { status: 409, body: { code: 'payment_step_not_possible' } });
  t.match(await step(refunded.id, 'capture'), { status: 409, body: { code: 'payment_step_not_possible' } });
});

t.test('one Idempotency-Key performs one step', async (t) => {
  for (const [what, body] of [
    ['refunds', eur(100)],
    ['void', undefined],
  ] as const) {
    const { orderId, id } = await paid(2500);
    const headers = { 'idempotency-key': newId() };
    const [one, two] = [await step(id, what, body, headers), await step(id, what, body, headers)];
    t.equal(one.status, what === 'void' ? 200 : 201);
    t.strictSame(two.body, one.body);
    if (what === 'void') t.strictSame(await balanceOf(orderId), sum(2500));
    else t.strictSame(await refundedOf(id), sum(100));
  }
});
