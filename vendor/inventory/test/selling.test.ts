import { newId, type TenantDatabase } from '@carton/runtime';
import { exactly, payloadsOf, type TestTenant } from '@carton/runtime/testing';
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
import { codeOf, createStockedVariant, levelOf, openBox } from './helpers.ts';

const box = await openBox(t);
const other = await box.openTenant();

const order = () => ({ type: 'order', id: newId() });
const sell = (tenant: TestTenant, lines: StockLine[], reference = order()) =>
  tenant.db.transaction((tx) => takeStock(tx, lines, reference));

/** Counts the statements of some work in a transaction. */
async function countStatements(tenant: TestTenant, work: (tx: TenantDatabase) => Promise<unknown>): Promise<number> {
  let statements = 0;
  await tenant.db.transaction(async (tx) => {
    const { query } = tx;
    tx.query = (...args: Parameters<typeof query>) => {
      statements++;
      return query.apply(tx, args) as never;
    };
    await work(tx);
  });
  return statements;
}

t.test('a sale takes all lines and writes the ledger, in one statement', async (t) => {
  const [shirt, cap] = [await createStockedVariant(box, 20), await createStockedVariant(box, 5)];
  const reference = order();
  const lines = [
    { variantId: cap.variantId, quantity: 2 },
    { variantId: shirt.variantId, quantity: 3 },
    { variantId: cap.variantId, quantity: 1 },
  ];
  t.equal(await countStatements(box, (tx) => takeStock(tx, lines, reference)), 1);
  t.match(await levelOf(box, shirt.itemId), { onHand: 17, ledger: 17 });
  t.match(await levelOf(box, cap.itemId), { onHand: 2, ledger: 2 }, 'lines of one variant are added up');
  const { body } = await box.staff.get(`/admin/stock-items/${cap.itemId}/movements?reason=sold`);
  t.match(body.items, exactly([{ quantity: -3, reason: 'sold', referenceType: 'order', referenceId: reference.id }]));
  t.equal(body.items[0].actorId, null);

  t.equal(await countStatements(box, (tx) => returnStock(tx, lines, reference)), 1);
  t.match(await levelOf(box, shirt.itemId), { onHand: 20, ledger: 20 });
  t.match(await levelOf(box, cap.itemId), { onHand: 5, ledger: 5 });
  await t.resolves(box.db.transaction((tx) => takeStock(tx, [], reference)));
  await t.resolves(box.db.transaction((tx) => returnStock(tx, [], reference)));
  await t.rejects(sell(box, [{ variantId: cap.variantId, quantity: 0 }]), /quantity 0/);
  await t.rejects(takeStock(box.db, lines, reference), /must run in a transaction/);
});

t.test('movements of sales and returns by staff have their actor and reference', async (t) => {
  const shirt = await createStockedVariant(box, 1);
  const actor = { type: 'staff', id: newId(), label: 'ada@example.com' } as const;
  const db = box.box.database.forTenant(box.id, actor);
  const lines = [{ variantId: shirt.variantId, quantity: 1 }];
  const [sold, reserved, later] = [order(), { type: 'draft_order', id: newId() }, order()];
  await db.transaction((tx) => takeStock(tx, lines, sold));
  await db.transaction((tx) => returnStock(tx, lines, sold));
  await db.transaction((tx) => takeStock(tx, lines, later, { reserved }));
  const { body } = await box.staff.get(`/admin/stock-items/${shirt.itemId}/movements?limit=3`);
  const by = { actorId: actor.id, actorLabel: 'ada@example.com', referenceType: 'order' };
  t.match(
    body.items,
    exactly([
      { ...by, reason: 'sold', quantity: -1, referenceId: later.id },
      { ...by, reason: 'returned', quantity: 1, referenceId: sold.id },
      { ...by, reason: 'sold', quantity: -1, referenceId: sold.id },
    ]),
  );
});

t.test('all lines are taken or none, and the problem names those that are short', async (t) => {
  const [plenty, few, none] = [
    await createStockedVariant(box, 9),
    await createStockedVariant(box, 2),
    await createStockedVariant(box, 0),
  ];
  const lines = [
    { variantId: plenty.variantId, quantity: 1 },
    { variantId: few.variantId, quantity: 3 },
    { variantId: none.variantId, quantity: 1 },
  ];
  const error = await sell(box, lines).catch((thrown) => thrown);
  t.equal(codeOf(error), 'insufficient_stock');
  t.equal(error.type.status, 409);
  t.match(error.message, `${few.sku}: 3 requested, 2 available`);
  t.match(error.message, `${none.sku}: 1 requested, 0 available`);
  t.notMatch(error.message, plenty.sku);
  t.match(await levelOf(box, plenty.itemId), { onHand: 9, ledger: 9 });
  t.match(await levelOf(box, few.itemId), { onHand: 2, ledger: 2 });
});

t.test(
  "variants of another tenant and unknown ones cannot be sold, and other tenants' stock is unaffected",
  async (t) => {
    const [own, foreign] = [await createStockedVariant(box, 5), await createStockedVariant(other, 5)];
    for (const variantId of [foreign.variantId, newId()]) {
      const lines = [own, { variantId }].map((line) => ({ variantId: line.variantId, quantity: 1 }));
      const error = await sell(box, lines).catch((thrown) => thrown);
      t.equal(codeOf(error), 'insufficient_stock');
      t.match(error.message, `variant ${variantId}: 1 requested, 0 available`);
    }
    const back = { variantId: foreign.variantId, quantity: 1, locationId: defaultLocation };
    await box.db.transaction((tx) => returnStock(tx, [back], order()));
    t.match(await levelOf(box, own.itemId), { onHand: 5, ledger: 5 });
    t.match(await levelOf(other, foreign.itemId), { onHand: 5, ledger: 5 });
    t.equal((await availabilityOf(box.db, [foreign.variantId, own.variantId])).size, 1);
  },
);

t.test('back-orders go below zero, and untracked items are not counted', async (t) => {
  const backOrdered = await createStockedVariant(box, 2, { backOrderPolicy: 'allow' });
  const untracked = await createStockedVariant(box, 2, { tracked: false });
  const reference = order();
  await sell(
    box,
    [
      { variantId: backOrdered.variantId, quantity: 5 },
      { variantId: untracked.variantId, quantity: 500 },
    ],
    reference,
  );
  t.match(await levelOf(box, backOrdered.itemId), { onHand: -3, ledger: -3 });
  t.match(await levelOf(box, untracked.itemId), { onHand: 2, ledger: 2 });
  const back = [
    { variantId: backOrdered.variantId, quantity: 1 },
    { variantId: untracked.variantId, quantity: 500 },
  ];
  await box.db.transaction((tx) => returnStock(tx, back, reference));
  t.match(await levelOf(box, backOrdered.itemId), { onHand: -2, ledger: -2 }, 'a return reduces the back-order');
  t.match(await levelOf(box, untracked.itemId), { onHand: 2, ledger: 2 });

  await box.staff.patch(`/admin/stock-items/${backOrdered.itemId}`, { backOrderPolicy: 'deny' });
  const error = await sell(box, [{ variantId: backOrdered.variantId, quantity: 1 }]).catch((thrown) => thrown);
  t.match(error.message, '1 requested, 0 available', 'a negative level means zero available');
  await t.rejects(
    box.db.query('update stock_levels set on_hand = -1 where tenant_id = $1 and stock_item_id = $2', [
      untracked.itemId,
    ]),
    /stock_levels_on_hand/,
    'a check constraint prevents negative levels without back-orders',
  );
});

t.test('stock.ran_low is published when the low-stock level is reached, and not again below it', async (t) => {
  const shirt = await createStockedVariant(box, 10, { lowStockLevel: 5 });
  const low = () => payloadsOf(box, { type: 'stock.ran_low' });
  const earlier = (await low()).length;
  for (const quantity of [4, 1, 2]) await sell(box, [{ variantId: shirt.variantId, quantity }]);
  const events = (await low()).slice(earlier);
  t.strictSame(events, [{ variantId: shirt.variantId, available: 5, lowStockLevel: 5 }]);
});

t.test('of 60 concurrent buyers of 20 units, 20 succeed', async (t) => {
  const shirt = await createStockedVariant(box, 20);
  const foreign = await createStockedVariant(other, 20);
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, () => sell(box, [{ variantId: shirt.variantId, quantity: 1 }])),
  );
  const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => codeOf(reason));
  t.equal(results.length - refused.length, 20);
  t.strictSame([...new Set(refused)], ['insufficient_stock']);
  t.match(await levelOf(box, shirt.itemId), { onHand: 0, ledger: 0 });
  t.match(await levelOf(other, foreign.itemId), { onHand: 20, ledger: 20 });
});

t.test('concurrent sales, returns and adjustments in any order do not deadlock, and the ledger matches', async (t) => {
  const variants = await Promise.all(Array.from({ length: 4 }, () => createStockedVariant(box, 30)));
  const work = Array.from({ length: 80 }, (_, index) => {
    const picked = variants.filter((_, at) => ((index * 7) >> at) & 1 || at === index % 4);
    const lines = (index % 2 ? picked : picked.reverse()).map(({ variantId }) => ({
      variantId,
      quantity: 1 + (index % 3),
    }));
    const arriving = lines.map((line) => ({ ...line, locationId: defaultLocation }));
    if (index % 5 === 4) return box.db.transaction((tx) => returnStock(tx, arriving, order()));
    if (index % 5 === 3) {
      const item = variants[index % 4]?.itemId;
      return box.staff
        .post(`/admin/stock-items/${item}/adjustments`, { quantity: 2, reason: 'received' })
        .then(({ status }) => t.equal(status, 201));
    }
    return sell(box, lines);
  });
  const results = await Promise.allSettled(work);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : []));
  t.strictSame(new Set([...failures, 'insufficient_stock']), new Set(['insufficient_stock']));
  for (const { itemId } of variants) {
    const level = await levelOf(box, itemId);
    t.equal(level?.onHand, level?.ledger);
    t.ok((level?.onHand ?? -1) >= 0);
  }
});

t.test('a policy change is serialized with waiting sales', async (t) => {
  const shirt = await createStockedVariant(box, 1, { backOrderPolicy: 'allow' });
  const lines = [{ variantId: shirt.variantId, quantity: 1 }];
  let waiting: Promise<string> | undefined;
  let changing: Promise<{ status: number }> | undefined;
  await box.db.transaction(async (tx) => {
    await takeStock(tx, lines, order());
    waiting = sell(box, lines).then(() => 'sold', codeOf);
    changing = box.staff.patch(`/admin/stock-items/${shirt.itemId}`, { backOrderPolicy: 'deny' });
    await tx.query('select pg_sleep(0.2) where $1::uuid is not null');
  });
  t.equal((await changing)?.status, 200);
  t.ok(['sold', 'insufficient_stock'].includes((await waiting) ?? ''), 'under the old policy or the new one');
  t.equal(await sell(box, lines).catch(codeOf), 'insufficient_stock');
  const level = await levelOf(box, shirt.itemId);
  t.equal(level?.onHand, level?.ledger);
});

t.test('reserved stock is unavailable until it is released', async (t) => {
  const [shirt, cap] = [await createStockedVariant(box, 5, { lowStockLevel: 2 }), await createStockedVariant(box, 5)];
  const reference = { type: 'draft_order', id: newId() };
  const lines = [
    { variantId: shirt.variantId, quantity: 3 },
    { variantId: cap.variantId, quantity: 1 },
  ];
  await box.db.transaction((tx) => reserveStock(tx, lines, reference));
  t.match(await levelOf(box, shirt.itemId), { onHand: 5, reserved: 3, ledger: 5 });
  t.match((await box.staff.get(`/admin/stock-items/${shirt.itemId}`)).body, { onHand: 5, reserved: 3, available: 2 });
  const short = { type: { code: 'insufficient_stock' }, message: `${shirt.sku}: 3 requested, 2 available` };
  await t.rejects(sell(box, [{ variantId: shirt.variantId, quantity: 3 }]), short);
  const again = { type: 'draft_order', id: newId() };
  const reserved = box.db.transaction((tx) => reserveStock(tx, lines, again));
  await t.rejects(reserved, short);

  const list = (query: string) => box.staff.get(`/admin/stock-reservations?${query}`);
  const { items } = (await list(`referenceId=${reference.id}`)).body;
  t.equal(items.length, 2);
  t.match(
    (await list(`stockItemId=${shirt.itemId}`)).body.items,
    exactly([{ stockItemId: shirt.itemId, quantity: 3, referenceType: 'draft_order' }]),
  );
  t.strictSame((await other.staff.get('/admin/stock-reservations')).body.items, []);

  t.match((await payloadsOf(box, { type: 'stock.ran_low' })).at(-1), { variantId: shirt.variantId, available: 2 });
  t.match(await payloadsOf(box, { type: 'stock.reserved' }), exactly([{ reference, lines }]));

  await other.db.transaction((tx) => releaseStock(tx, reference));
  t.match(await levelOf(box, shirt.itemId), { reserved: 3 }, 'another tenant releases nothing here');
  await Promise.all([1, 2, 3].map(() => box.db.transaction((tx) => releaseStock(tx, reference))));
  t.match(await levelOf(box, shirt.itemId), { onHand: 5, reserved: 0, ledger: 5 });
  t.match(await levelOf(box, cap.itemId), { reserved: 0 });
  t.equal((await payloadsOf(box, { type: 'stock.released' })).length, 1, 'released once');
  t.strictSame((await list(`referenceId=${reference.id}`)).body.items, []);
  await t.resolves(box.db.transaction((tx) => reserveStock(tx, [], reference)));
});
