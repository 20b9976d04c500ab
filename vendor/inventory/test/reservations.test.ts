/**
 * Reservations with an expiry: replaced by reference, consumed by sales, released by the job.
 */

import { newId } from '@carton/runtime';
import { payloadsOf, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import {
  availabilityOf,
  releaseStock,
  reserveStock,
  type StockLine,
  type StockReference,
  takeStock,
} from '../index.ts';
import { releaseExpired } from '../movements/service.ts';
import { releaseExpiredReservations } from '../reservations/service.ts';
import { codeOf, createStockedVariant, levelOf, openBox, type StockedVariant } from './helpers.ts';

const box = await openBox(t);
const other = await box.openTenant();

const order = () => ({ type: 'order', id: newId() });
const cart = () => ({ type: 'cart', id: newId() });
const soon = () => new Date(Date.now() + 60_000);
const past = () => new Date(Date.now() - 1000);

const line = ({ variantId }: StockedVariant, quantity: number): StockLine => ({ variantId, quantity });
const reserve = (tenant: TestTenant, lines: StockLine[], reference: StockReference, until: Date | null = soon()) =>
  tenant.db.transaction((tx) => reserveStock(tx, lines, reference, { until }));
const sell = (tenant: TestTenant, lines: StockLine[], reserved?: StockReference) =>
  tenant.db.transaction((tx) => takeStock(tx, lines, order(), { reserved }));

async function rowsOf(tenant: TestTenant, { id }: StockReference) {
  const { body } = await tenant.staff.get(`/admin/stock-reservations?referenceId=${id}`);
  return body.items as { stockItemId: string; quantity: number; endsAt: string | null }[];
}

t.test('reserving again replaces quantities and expiry', async (t) => {
  const [shirt, cap] = [await createStockedVariant(box, 10), await createStockedVariant(box, 5)];
  const reference = cart();
  const [first, later] = [soon(), new Date(Date.now() + 120_000)];
  await reserve(box, [line(shirt, 4), line(cap, 1)], reference, first);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 4 });
  t.strictSame((await rowsOf(box, reference)).map(({ quantity, endsAt }) => [quantity, endsAt]).sort(), [
    [1, first.toISOString()],
    [4, first.toISOString()],
  ]);
  await reserve(box, [line(shirt, 9)], reference, later);
  t.match(
    await levelOf(box, shirt.itemId),
    { onHand: 10, reserved: 9 },
    'the existing reservation counts as available',
  );
  t.match(await levelOf(box, cap.itemId), { reserved: 0 }, 'an omitted variant is released');
  t.strictSame(
    (await rowsOf(box, reference)).map(({ quantity, endsAt }) => [quantity, endsAt]),
    [[9, later.toISOString()]],
  );
  await reserve(box, [line(shirt, 2)], reference, null);
  t.match(await levelOf(box, shirt.itemId), { reserved: 2 });
  t.strictSame((await rowsOf(box, reference))[0]?.endsAt, null);
  t.equal(codeOf(await reserve(box, [line(shirt, 11)], reference).catch((thrown) => thrown)), 'insufficient_stock');
  t.match(await levelOf(box, shirt.itemId), { reserved: 2 }, 'unchanged after the failure');
  t.strictSame((await payloadsOf(box, { type: 'stock.reserved' })).at(-2), {
    reference,
    lines: [line(shirt, 9)],
    endsAt: later.toISOString(),
  });
  await reserve(box, [], reference);
  t.match(await levelOf(box, shirt.itemId), { reserved: 0 }, 'no lines release everything');
  t.strictSame(await rowsOf(box, reference), []);
});

t.test('a sale consumes its reservation and releases the rest', async (t) => {
  const [shirt, cap, hat] = [
    await createStockedVariant(box, 3),
    await createStockedVariant(box, 3),
    await createStockedVariant(box, 3),
  ];
  const reference = cart();
  await reserve(box, [line(shirt, 3), line(cap, 2), line(hat, 1)], reference);
  const refused = await sell(box, [line(shirt, 1)]).catch((thrown) => thrown);
  t.match(refused.message, `${shirt.sku}: 1 requested, 0 available`, 'unavailable to others');
  t.equal((await availabilityOf(box.db, [shirt.variantId])).get(shirt.variantId)?.limit, 0);
  const own = await availabilityOf(box.db, [shirt.variantId, cap.variantId], { reserved: reference });
  t.strictSame([own.get(shirt.variantId)?.limit, own.get(cap.variantId)?.limit], [3, 3]);

  await sell(box, [line(shirt, 2), line(cap, 3)], reference);
  t.match(await levelOf(box, shirt.itemId), { onHand: 1, reserved: 0, ledger: 1 }, 'less than was reserved');
  t.match(await levelOf(box, cap.itemId), { onHand: 0, reserved: 0, ledger: 0 }, 'more than was reserved');
  t.match(await levelOf(box, hat.itemId), { onHand: 3, reserved: 0, ledger: 3 }, 'not sold');
  t.strictSame(await rowsOf(box, reference), []);
  const released = [line(shirt, 1), line(hat, 1)].sort((one, two) => (one.variantId < two.variantId ? -1 : 1));
  t.strictSame((await payloadsOf(box, { type: 'stock.released' })).at(-1), { reference, lines: released });
});

t.test('a failed sale keeps its reservation', async (t) => {
  const shirt = await createStockedVariant(box, 3);
  const reference = cart();
  await reserve(box, [line(shirt, 2)], reference);
  const error = await sell(box, [line(shirt, 4)], reference).catch((thrown) => thrown);
  t.match(error.message, `${shirt.sku}: 4 requested, 3 available`);
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, reserved: 2, ledger: 3 });
  t.equal((await rowsOf(box, reference)).length, 1);
  await sell(other, [line(await createStockedVariant(other, 1), 1)], reference);
  t.match(await levelOf(box, shirt.itemId), { reserved: 2 }, 'another tenant consumes nothing here');
});

t.test('the reservation of an item that is no longer tracked is released', async (t) => {
  const shirt = await createStockedVariant(box, 3);
  const reference = cart();
  await reserve(box, [line(shirt, 2)], reference);
  await box.staff.patch(`/admin/stock-items/${shirt.itemId}`, { tracked: false });
  await sell(box, [line(shirt, 5)], reference);
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, reserved: 0, ledger: 3 });
});

t.test('stock.ran_low is published when stock is reserved, and not again when it is sold', async (t) => {
  const shirt = await createStockedVariant(box, 5, { lowStockLevel: 2 });
  const low = async () =>
    (await payloadsOf(box, { type: 'stock.ran_low' })).filter(({ variantId }) => variantId === shirt.variantId);
  const reference = cart();
  await reserve(box, [line(shirt, 3)], reference);
  t.strictSame(await low(), [{ variantId: shirt.variantId, available: 2, lowStockLevel: 2 }]);
  await reserve(box, [line(shirt, 4)], reference);
  await sell(box, [line(shirt, 4)], reference);
  t.equal((await low()).length, 1);
});

t.test('the job releases expired reservations and no others', async (t) => {
  const shirt = await createStockedVariant(box, 10);
  const [expired, active, unlimited] = [cart(), cart(), cart()];
  await reserve(box, [line(shirt, 1)], expired, past());
  await reserve(box, [line(shirt, 2)], active);
  await reserve(box, [line(shirt, 3)], unlimited, null);
  t.equal(
    codeOf(await sell(box, [line(shirt, 5)]).catch((thrown) => thrown)),
    'insufficient_stock',
    'not released yet',
  );
  await releaseExpiredReservations(other.db);
  t.match(await levelOf(box, shirt.itemId), { reserved: 6 }, "another tenant's job does not affect it");
  await Promise.all([releaseExpiredReservations(box.db), releaseExpiredReservations(box.db)]);
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 5 });
  t.strictSame(await rowsOf(box, expired), []);
  const released = (await payloadsOf(box, { type: 'stock.released' })).filter(
    ({ reference }) => (reference as StockReference).id === expired.id,
  );
  t.strictSame(released, [{ reference: expired, lines: [line(shirt, 1)] }]);
  for (const reference of [active, unlimited]) {
    await box.db.transaction((tx) => releaseStock(tx, reference));
    await box.db.transaction((tx) => releaseStock(tx, reference));
  }
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, reserved: 0, ledger: 10 });
});

t.test('an expired reservation that is not released yet can be sold or extended by its owner', async (t) => {
  const shirt = await createStockedVariant(box, 2);
  const [sold, extended] = [cart(), cart()];
  await reserve(box, [line(shirt, 1)], sold, past());
  await reserve(box, [line(shirt, 1)], extended, past());
  await sell(box, [line(shirt, 1)], sold);
  await reserve(box, [line(shirt, 1)], extended, soon());
  await releaseExpiredReservations(box.db);
  t.match(await levelOf(box, shirt.itemId), { onHand: 1, reserved: 1, ledger: 1 });
});

t.test('a reservation extended after the job has found it is not released', async (t) => {
  const shirt = await createStockedVariant(box, 1);
  const reference = cart();
  await reserve(box, [line(shirt, 1)], reference, soon());
  await box.db.transaction((tx) => releaseExpired(tx, reference));
  t.match(await levelOf(box, shirt.itemId), { reserved: 1 });
});

t.test('the job releases more than one batch', async (t) => {
  const shirt = await createStockedVariant(box, 230);
  for (let count = 0; count < 230; count += 1) await reserve(box, [line(shirt, 1)], cart(), past());
  await releaseExpiredReservations(box.db);
  t.match(await levelOf(box, shirt.itemId), { onHand: 230, reserved: 0 });
});
