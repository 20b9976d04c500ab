/**
 * A pending order is placed once, or canceled once, and not after it was placed.
 */
import { cancelPending, findOrder, lockOrder, type OrderState, placePending } from '@carton/order';
import { eventTypesOf } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, place, placeStocked, timelineOf } from '../testing/index.ts';

const box = await openBox(t);
const { db } = box;
const inAnHour = () => new Date(Date.now() + 3_600_000);
const placeNow = (id: string) =>
  db.transaction(async (tx) => placePending(tx, (await lockOrder(tx, id)) as OrderState));
const cancel = (id: string, isOver = true) => cancelPending(db, id, 'Not paid in time', async () => isOver);

t.test('a pending order is placed once', async (t) => {
  const order = await place(box, { pendingUntil: inAnHour() });
  t.match(order, { status: 'pending', payBy: /T/, wasPlaced: false });
  await placeNow(order.id);
  t.match(await findOrder(db, order.id), { status: 'placed', payBy: null, wasPlaced: true });
  await placeNow(order.id);
  await cancel(order.id);
  t.match(await findOrder(db, order.id), { status: 'placed' }, 'and no longer canceled as pending');
  t.strictSame(await eventTypesOf(box, order.id), ['order.held', 'order.placed']);
  t.strictSame(await timelineOf(box, order.id), ['Order placed', 'Order waits for its payment']);
});

t.test('a pending order is canceled once, with its stock, unless its payment arrives meanwhile', async (t) => {
  const { order, onHand } = await placeStocked(box, 5, 3, { pendingUntil: inAnHour() });
  await cancel(order.id, false);
  t.equal(await onHand(), 5);
  t.match(await findOrder(db, order.id), { status: 'pending' });
  await cancel(order.id);
  await cancel(order.id);
  t.equal(await onHand(), 8);
  t.match(await findOrder(db, order.id), { status: 'canceled', wasPlaced: false, payBy: null });
  await t.rejects(placeNow(order.id), /cannot change from canceled to placed/);
  t.strictSame(await eventTypesOf(box, order.id), ['order.held', 'order.canceled']);
});
