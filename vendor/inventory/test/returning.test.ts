/**
 * What returns to stock is what was taken: the ledger tells it, not whether the item is tracked by the time of the return.
 */
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import {
  availabilityOf,
  defaultLocation,
  releaseStock,
  reserveStock,
  returnStock,
  type StockLine,
  takeStock,
} from '../index.ts';
import { createStockedVariant, levelOf, openBox, type StockedVariant } from './helpers.ts';

const box = await openBox(t);

const reference = (type: string) => ({ type, id: newId() });
const track = ({ itemId }: StockedVariant, tracked: boolean) =>
  box.staff.patch(`/admin/stock-items/${itemId}`, { tracked });
const take = (lines: StockLine[], order = reference('order'), reserved?: typeof order) =>
  box.db.transaction((tx) => takeStock(tx, lines, order, { reserved }));
const giveBack = (lines: StockLine[], order = reference('order')) =>
  box.db.transaction((tx) => returnStock(tx, lines, order));

t.test('units that were sold untracked do not return, though the item is tracked by then', async (t) => {
  const shirt = await createStockedVariant(box, 10, { tracked: false });
  const order = reference('order');
  const lines = [{ variantId: shirt.variantId, quantity: 4 }];
  await take(lines, order);
  await track(shirt, true);
  await giveBack(lines, order);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, ledger: 10 });
});

t.test('units that were taken return, though the item is not tracked by then', async (t) => {
  const shirt = await createStockedVariant(box, 10);
  const order = reference('order');
  const lines = [{ variantId: shirt.variantId, quantity: 10 }];
  await take(lines, order);
  await track(shirt, false);
  await giveBack(lines, order);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, ledger: 10 });
  const { body } = await box.staff.get(`/admin/stock-items/${shirt.itemId}/movements?reason=returned`);
  t.match(body.items, exactly([{ quantity: 10, referenceId: order.id }]));
  await track(shirt, true);
  t.match((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId), { status: 'in_stock' });
});

t.test('of units taken in part, that part returns, once', async (t) => {
  const [shirt, cap] = [await createStockedVariant(box, 10, { tracked: false }), await createStockedVariant(box, 10)];
  const order = reference('order');
  await take([{ variantId: shirt.variantId, quantity: 3 }], order);
  await track(shirt, true);
  await take([{ variantId: shirt.variantId, quantity: 2 }], order);
  await take([{ variantId: cap.variantId, quantity: 5 }], order);
  const back = [shirt, cap].map(({ variantId }) => ({ variantId, quantity: 5 }));
  await giveBack(back, reference('order'));
  t.match(await levelOf(box, shirt.itemId), { onHand: 8 }, 'another order has taken nothing');
  await giveBack([{ variantId: shirt.variantId, quantity: 1 }], order);
  t.match(await levelOf(box, shirt.itemId), { onHand: 9 });
  for (let call = 0; call < 2; call++) await giveBack(back, order);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, ledger: 10 });
  t.match(await levelOf(box, cap.itemId), { onHand: 10, ledger: 10 });
});

t.test('goods arrive at a location that is named, if their item is tracked', async (t) => {
  const shirt = await createStockedVariant(box, 1);
  const arriving = [{ variantId: shirt.variantId, quantity: 2, locationId: defaultLocation }];
  await giveBack(arriving, reference('return'));
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, ledger: 3 });
  await track(shirt, false);
  await giveBack(arriving, reference('return'));
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, ledger: 3 });
});

t.test('a reservation ends as it was made, whether or not the item is tracked by then', async (t) => {
  const shirt = await createStockedVariant(box, 10);
  const lines = [{ variantId: shirt.variantId, quantity: 4 }];
  const reserve = (cart: ReturnType<typeof reference>) => box.db.transaction((tx) => reserveStock(tx, lines, cart));
  const [released, sold, unreserved] = [reference('cart'), reference('cart'), reference('cart')];
  const order = reference('order');
  await reserve(released);
  await reserve(sold);
  await track(shirt, false);
  await reserve(unreserved);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 8 });
  await box.db.transaction((tx) => releaseStock(tx, released));
  await take(lines, order, sold);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 0 }, 'sold untracked, so nothing is taken');
  await track(shirt, true);
  await box.db.transaction((tx) => releaseStock(tx, unreserved));
  await giveBack(lines, order);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 0, ledger: 10 });
});
