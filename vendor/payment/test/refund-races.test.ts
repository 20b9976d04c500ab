/**
 * Concurrent refunds of one unit, from one payment and from two.
 */
import { raceRounds } from '@carton/runtime/testing';
import t from 'tap';
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
