/**
 * Concurrent refunds of one unit, from one payment and from two, and a refund that the box and a retry resume at once.
 */
import { paymentAdapters } from '@carton/payment';
import { bodyOf, extendBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { TestProvider } from '../testing/provider.ts';
import { openBox, pay, place } from './helpers.ts';

const box = await openBox(t);

t.test('of concurrent refunds of the last unit, one succeeds', async (t) => {
  const line = { variantId: null, productId: null, sku: null, variantTitle: null };
  const lines = [
    { ...line, title: 'Shirt', quantity: 2, unitAmount: 1000, totalAmount: 2000 },
    { ...line, title: 'Coat', quantity: 1, unitAmount: 5000, totalAmount: 5000 },
  ];
  for (let round = 0; round < raceRounds; round++) {
    const { id, items } = await place(box, 7000, { lines });
    const [one, other] = [(await pay(box, id, 3500)).body.id, (await pay(box, id, 3500)).body.id];
    const unit = { items: [{ lineItemId: items[0]?.id, quantity: 1 }] };
    const refund = (payment: string) => box.staff.post(`/admin/payments/${payment}/refunds`, unit);
    await refund(one);
    const responses = await Promise.all([one, other, one, other].map(refund));
    t.strictSame(responses.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    t.ok(responses.every(({ status, body }) => status === 201 || body.code === 'already_refunded'));
    const [shirts] = (await box.staff.get(`/admin/orders/${id}`)).body.items;
    t.strictSame(shirts.refunded, { quantity: 2, amount: { amount: 2000, currency: 'EUR' } });
  }
});

t.test('a retry while the box resumes the refund is the same refund', async (t) => {
  const provider = new TestProvider();
  const db = extendBox(t, box, [paymentAdapters.with(provider)]);
  const { id: orderId } = await place(box, 3000);
  const { id } = await bodyOf(box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod: 'card' }));
  const state = { status: 'captured', captured: 3000, refunded: 0 } as const;
  Object.assign(provider.payments.get(id) as object, state);
  await provider.send(box, { id: 'captured', payment: { id, state } });
  const amount = { amount: 1000, currency: 'EUR' };
  const headers = { 'idempotency-key': 'refund-once' };
  const refund = () => box.staff.post(`/admin/payments/${id}/refunds`, { amount }, { headers });
  provider.before = () => {
    throw new Error('away');
  };
  t.equal((await refund()).status, 502);
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  provider.before = async () => {
    reached.resolve();
    await goOn.promise;
  };
  await db.query("update payment_transactions set created_at = created_at - interval '1 minute' where tenant_id = $1");
  const resumed = reconcile(db);
  await reached.promise;
  t.match(await refund(), { status: 409, body: { code: 'payment_step_busy' } });
  goOn.resolve();
  await resumed;
  t.match(await refund(), { status: 201, body: { amount } });
  t.match((await box.staff.get(`/admin/orders/${orderId}`)).body, { refunded: amount });
});

t.test('units stay in the order while the refund of their price is pending', async (t) => {
  const provider = new TestProvider();
  extendBox(t, box, [paymentAdapters.with(provider)]);
  const line = { variantId: null, productId: null, sku: null, variantTitle: null };
  const lines = [
    { ...line, title: 'Coat', quantity: 1, unitAmount: 3000, totalAmount: 3000 },
    { ...line, title: 'Mug', quantity: 1, unitAmount: 500, totalAmount: 500 },
  ];
  const { id: orderId, items } = await place(box, 3500, { lines });
  const other = (await pay(box, orderId, 500)).body.id;
  const { id } = await bodyOf(box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod: 'card' }));
  const state = { status: 'captured', captured: 3000, refunded: 0 } as const;
  Object.assign(provider.payments.get(id) as object, state);
  await provider.send(box, { id: 'captured-too', payment: { id, state } });
  provider.before = () => {
    throw new Error('away');
  };
  const [coat, mug] = items.map((item) => item.id);
  const price = { items: [{ lineItemId: coat, amount: { amount: 3000, currency: 'EUR' } }] };
  t.equal((await box.staff.post(`/admin/payments/${id}/refunds`, price)).status, 502);
  const units = { items: [coat, mug].map((lineItemId) => ({ lineItemId, quantity: 1 })) };
  t.match(await box.staff.post(`/admin/payments/${other}/refunds`, units), {
    status: 409,
    body: { code: 'payment_step_busy' },
  });
  provider.before = () => {};
  await box.owner.query("update payment_transactions set tried_at = null, created_at = now() - interval '1 minute'");
  await reconcile(box.db);
  await box.staff.post(`/admin/payments/${id}/refunds`, price);
  t.match(await box.staff.post(`/admin/payments/${other}/refunds`, units), {
    status: 201,
    body: { amount: { amount: 500 } },
  });
});
