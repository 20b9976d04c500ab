/**
 * Reservations with an end: replaced under their reference, used up by a sale, let go by the job.
 */
import { newId } from '@carton/runtime';
import type { TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import {
  availabilityOf,
  releaseAllEnded,
  releaseStock,
  reserveStock,
  type StockLine,
  type StockReference,
  takeStock,
} from '../index.ts';
import { releaseEnded } from '../service.ts';
import { codeOf, eventsOf, levelOf, openBox, type Stocked, stocked } from './helpers.ts';

const box = await openBox(t);
const other = await box.openTenant();

const order = () => ({ type: 'order', id: newId() });
const cart = () => ({ type: 'cart', id: newId() });
const soon = () => new Date(Date.now() + 60_000);
const past = () => new Date(Date.now() - 1000);

const line = ({ variantId }: Stocked, quantity: number): StockLine => ({ variantId, quantity });
const reserve = (tenant: TestTenant, lines: StockLine[], reference: StockReference, until: Date | null = soon()) =>
  tenant.db.transaction((tx) => reserveStock(tx, lines, reference, { until }));
const sell = (tenant: TestTenant, lines: StockLine[], reserved?: StockReference) =>
  tenant.db.transaction((tx) => takeStock(tx, lines, order(), { reserved }));

async function rowsOf(tenant: TestTenant, { id }: StockReference) {
  const { body } = await tenant.staff.get(`/admin/stock-reservations?referenceId=${id}`);
  return body.items as { stockItemId: string; quantity: number; endsAt: string | null }[];
}

t.test('to reserve again replaces: more is taken, less is freed, the end moves', async (t) => {
  const [shirt, cap] = [await stocked(box, 10), await stocked(box, 5)];
  const reference = cart();
  const [first, later] = [soon(), new Date(Date.now() + 120_000)];
  await reserve(box, [line(shirt, 4), line(cap, 1)], reference, first);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 4 });
  t.strictSame((await rowsOf(box, reference)).map(({ quantity, endsAt }) => [quantity, endsAt]).sort(), [
    [1, first.toISOString()],
    [4, first.toISOString()],
  ]);
  await reserve(box, [line(shirt, 9)], reference, later);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 9 }, 'its own counts as available to it');
  t.match(await levelOf(box, cap.itemId), { reserved: 0 }, 'what is no longer wanted is free');
  t.strictSame(
    (await rowsOf(box, reference)).map(({ quantity, endsAt }) => [quantity, endsAt]),
    [[9, later.toISOString()]],
  );
  await reserve(box, [line(shirt, 2)], reference, null);
  t.match(await levelOf(box, shirt.itemId), { reserved: 2 });
  t.strictSame((await rowsOf(box, reference))[0]?.endsAt, null);
  t.equal(codeOf(await reserve(box, [line(shirt, 11)], reference).catch((thrown) => thrown)), 'insufficient_stock');
  t.match(await levelOf(box, shirt.itemId), { reserved: 2 }, 'refused, it stays as it was');
  t.strictSame((await eventsOf(box, 'stock.reserved')).at(-2), {
    reference,
    lines: [line(shirt, 9)],
    endsAt: later.toISOString(),
  });
  await reserve(box, [], reference);
  t.match(await levelOf(box, shirt.itemId), { reserved: 0 }, 'nothing wanted: nothing held');
  t.strictSame(await rowsOf(box, reference), []);
});

t.test('a sale uses up what is reserved for it, and frees what is left', async (t) => {
  const [shirt, cap, hat] = [await stocked(box, 3), await stocked(box, 3), await stocked(box, 3)];
  const reference = cart();
  await reserve(box, [line(shirt, 3), line(cap, 2), line(hat, 1)], reference);
  const refused = await sell(box, [line(shirt, 1)]).catch((thrown) => thrown);
  t.match(refused.message, `${shirt.sku}: 1 wanted, 0 available`, 'nobody else has it');
  t.equal((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId)?.limit, 0);
  const mine = await availabilityOf(box.db, [shirt.variantId, cap.variantId], { reserved: reference });
  t.strictSame([mine.get(shirt.variantId)?.limit, mine.get(cap.variantId)?.limit], [3, 3]);

  await sell(box, [line(shirt, 2), line(cap, 3)], reference);
  t.match(await levelOf(box, shirt.itemId), { onHand: 1, reserved: 0, ledger: 1 }, 'less than was reserved');
  t.match(await levelOf(box, cap.itemId), { onHand: 0, reserved: 0, ledger: 0 }, 'more than was reserved');
  t.match(await levelOf(box, hat.itemId), { onHand: 3, reserved: 0, ledger: 3 }, 'not wanted any more');
  t.strictSame(await rowsOf(box, reference), []);
  const freed = [line(shirt, 1), line(hat, 1)].sort((one, two) => (one.variantId < two.variantId ? -1 : 1));
  t.strictSame((await eventsOf(box, 'stock.released')).at(-1), { reference, lines: freed });
});

t.test('a sale that is refused leaves its reservation', async (t) => {
  const shirt = await stocked(box, 3);
  const reference = cart();
  await reserve(box, [line(shirt, 2)], reference);
  const error = await sell(box, [line(shirt, 4)], reference).catch((thrown) => thrown);
  t.match(error.message, `${shirt.sku}: 4 wanted, 3 available`);
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, reserved: 2, ledger: 3 });
  t.equal((await rowsOf(box, reference)).length, 1);
  await sell(other, [line(await stocked(other, 1), 1)], reference);
  t.match(await levelOf(box, shirt.itemId), { reserved: 2 }, 'another shop uses up nothing here');
});

t.test('what is not tracked is not held, and what was is freed', async (t) => {
  const shirt = await stocked(box, 3);
  const reference = cart();
  await reserve(box, [line(shirt, 2)], reference);
  await box.staff.patch(`/admin/stock-items/${shirt.itemId}`, { tracked: false });
  await sell(box, [line(shirt, 5)], reference);
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, reserved: 0, ledger: 3 });
});

t.test('stock.low is told when stock is held, and not again when it is sold', async (t) => {
  const shirt = await stocked(box, 5, { lowStockLevel: 2 });
  const low = async () => (await eventsOf(box, 'stock.low')).filter(({ variantId }) => variantId === shirt.variantId);
  const reference = cart();
  await reserve(box, [line(shirt, 3)], reference);
  t.strictSame(await low(), [{ variantId: shirt.variantId, available: 2, lowStockLevel: 2 }]);
  await reserve(box, [line(shirt, 4)], reference);
  await sell(box, [line(shirt, 4)], reference);
  t.equal((await low()).length, 1);
});

t.test('the job lets go what has ended, and nothing else', async (t) => {
  const shirt = await stocked(box, 10);
  const [ended, running, endless] = [cart(), cart(), cart()];
  await reserve(box, [line(shirt, 1)], ended, past());
  await reserve(box, [line(shirt, 2)], running);
  await reserve(box, [line(shirt, 3)], endless, null);
  t.equal(codeOf(await sell(box, [line(shirt, 5)]).catch((thrown) => thrown)), 'insufficient_stock', 'not met yet');
  await releaseAllEnded(other.db);
  t.match(await levelOf(box, shirt.itemId), { reserved: 6 }, "another shop's job leaves it alone");
  await Promise.all([releaseAllEnded(box.db), releaseAllEnded(box.db)]);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 5 });
  t.strictSame(await rowsOf(box, ended), []);
  const released = (await eventsOf(box, 'stock.released')).filter(
    ({ reference }) => (reference as StockReference).id === ended.id,
  );
  t.strictSame(released, [{ reference: ended, lines: [line(shirt, 1)] }]);
  for (const reference of [running, endless]) {
    await box.db.transaction((tx) => releaseStock(tx, reference));
    await box.db.transaction((tx) => releaseStock(tx, reference));
  }
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 0, ledger: 10 });
});

t.test('an end that is past but has not been met is its owner’s, to sell or to prolong', async (t) => {
  const shirt = await stocked(box, 2);
  const [sold, prolonged] = [cart(), cart()];
  await reserve(box, [line(shirt, 1)], sold, past());
  await reserve(box, [line(shirt, 1)], prolonged, past());
  await sell(box, [line(shirt, 1)], sold);
  await reserve(box, [line(shirt, 1)], prolonged, soon());
  await releaseAllEnded(box.db);
  t.match(await levelOf(box, shirt.itemId), { onHand: 1, reserved: 1, ledger: 1 });
});

t.test('what is prolonged after the job has found it is left alone', async (t) => {
  const shirt = await stocked(box, 1);
  const reference = cart();
  await reserve(box, [line(shirt, 1)], reference, soon());
  await box.db.transaction((tx) => releaseEnded(tx, reference));
  t.match(await levelOf(box, shirt.itemId), { reserved: 1 });
});

t.test('more have ended than the job takes at once', async (t) => {
  const shirt = await stocked(box, 230);
  for (let count = 0; count < 230; count += 1) await reserve(box, [line(shirt, 1)], cart(), past());
  await releaseAllEnded(box.db);
  t.match(await levelOf(box, shirt.itemId), { onHand: 230, reserved: 0 });
});
