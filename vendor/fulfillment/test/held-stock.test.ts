/**
 * What an order gives back to stock is what it has taken and still holds: not what its item is by then, and not the units
 * that staff have written off with a refund.
 */
import { paymentAdapters, paymentRefused } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { bodyOf, createTestBox, exactly, extendBox, raceRounds, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { act, pack, placePaid, placeTaken, unitsOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });

const paid = (quantities: readonly number[], more?: Parameters<typeof placeTaken>[2]) =>
  placePaid(box, quantities, more);
const writtenOff = (lineId: string | undefined, quantity: number) => ({
  items: [unitsOf(lineId, quantity)],
  restock: false,
});

t.test('what was taken returns, though its item is not tracked by then', async (t) => {
  const canceled = await paid([3]);
  await canceled.track(0, false);
  await canceled.cancel();
  t.strictSame(await canceled.stock(), [3]);

  const { lineIds, order, refund, stock, track } = await paid([3]);
  const { id } = await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
  await track(0, false);
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [1], 'with a refund');
  await bodyOf(act(box, 'cancel', id));
  t.strictSame(await stock(), [3], 'with a parcel');
});

t.test('what was sold untracked does not return, though its item is tracked by then', async (t) => {
  const { lineIds, order, onHand, track } = await placeTaken(box, [3, 1], { spare: 2, untracked: true });
  for (const line of [0, 1]) await track(line, true);
  t.strictSame(await onHand(), [5, 3]);
  const { id } = await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
  await bodyOf(act(box, 'cancel', id));
  t.strictSame(await onHand(), [5, 3], 'nor with a parcel');
  await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
  t.strictSame(await onHand(), [4, 3], 'packed again, one of them is taken');
  await bodyOf(box.staff.post(`/admin/orders/${order.id}/cancel`));
  t.strictSame(await onHand(), [5, 3], 'and returns');
});

t.test('written off, units return neither with a parcel nor with the order', async (t) => {
  const { lineIds, order, refund, stock, cancel } = await paid([3, 2]);
  const { id } = await bodyOf(pack(box, order.id));
  t.equal((await refund(writtenOff(lineIds[0], 1))).status, 201);
  await bodyOf(act(box, 'cancel', id));
  t.strictSame(await stock(), [2, 2]);
  const again = await bodyOf(pack(box, order.id));
  t.match(again.items, exactly([{ quantity: 2 }, { quantity: 2 }]));
  t.strictSame(await stock(), [0, 0], 'what is packed again is taken again');
  await refund(writtenOff(lineIds[1], 1));
  t.equal((await cancel()).status, 200);
  t.strictSame(await stock(), [2, 1]);
});

t.test('of a line with written-off units, further refunds return their own', async (t) => {
  const { lineIds, refund, stock, cancel } = await paid([4]);
  await refund(writtenOff(lineIds[0], 2));
  await refund({ items: [unitsOf(lineIds[0], 1)] });
  t.strictSame(await stock(), [1]);
  await cancel();
  t.strictSame(await stock(), [2]);
});

t.test('units whose stock has returned before are not written off', async (t) => {
  const { lineIds, order, refund, stock, cancel } = await paid([3]);
  const { id } = await bodyOf(pack(box, order.id, [unitsOf(lineIds[0], 2)]));
  await bodyOf(act(box, 'cancel', id));
  await refund(writtenOff(lineIds[0], 1));
  t.strictSame(await stock(), [2]);
  await bodyOf(pack(box, order.id));
  t.strictSame(await stock(), [1], 'the order held one of the two');
  await cancel();
  t.strictSame(await stock(), [3]);
});

t.test('a failed refund writes nothing off', async (t) => {
  const provider = new TestProvider();
  extendBox(t, box, [paymentAdapters.with(provider)]);
  const { order, lineIds, onHand } = await placeTaken(box, [3], { spare: 0 });
  const { id } = await bodyOf(box.visitor().post(`/checkout/${order.id}/payment-sessions`, { paymentMethod: 'card' }));
  const state = { status: 'captured', captured: 300, refunded: 0 } as const;
  Object.assign(provider.payments.get(id) as object, state);
  await provider.send(box, { id: 'captured', payment: { id, state } });
  provider.before = () => {
    throw paymentRefused('Not now.');
  };
  t.equal((await box.staff.post(`/admin/payments/${id}/refunds`, writtenOff(lineIds[0], 2))).status, 409);
  provider.before = () => {};
  await bodyOf(box.staff.post(`/admin/payments/${id}/refunds`, writtenOff(lineIds[0], 1)));
  await bodyOf(box.staff.post(`/admin/orders/${order.id}/cancel`));
  await untilDelivered(box);
  t.strictSame(await onHand(), [2]);
});

t.test('races of a refund that writes off, a parcel that is canceled and the order', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { lineIds, order, refund, stock, cancel } = await paid([3]);
    const { id } = await bodyOf(pack(box, order.id));
    const [refunded] = await Promise.all([
      refund(writtenOff(lineIds[0], 1)),
      act(box, 'cancel', id),
      ...(round % 2 ? [cancel()] : []),
    ]);
    t.equal(refunded.status, 201);
    if (round % 2 === 0) {
      await bodyOf(pack(box, order.id));
      const [left] = await stock();
      await cancel();
      t.strictSame(await stock(), [(left as number) + 2], 'the order held what it was to ship');
    } else t.ok([2, 3].includes((await stock())[0] as number));
  }
});
