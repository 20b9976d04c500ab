import { newId } from '@carton/runtime';
import { exactly, payloadsOf, until } from '@carton/runtime/testing';
import t from 'tap';
import { takeStock } from '../index.ts';
import { adjust, createStockedVariant, levelOf, openBox } from './helpers.ts';

const box = await openBox(t);
const other = await box.openTenant();

t.test('every new variant has a stock item: tracked, none on hand, no back-orders', async (t) => {
  const shirt = await createStockedVariant(box, 0);
  const read = await box.staff.get(`/admin/stock-items/${shirt.itemId}`);
  t.match(read, {
    status: 200,
    body: {
      variantId: shirt.variantId,
      sku: shirt.sku,
      tracked: true,
      backOrderPolicy: 'deny',
      lowStockLevel: 0,
      onHand: 0,
      reserved: 0,
      available: 0,
    },
  });
  const added = await box.staff.post(`/admin/products/${shirt.productId}/duplicate`, {});
  const found = await box.staff.get(`/admin/stock-items?variantId=${added.body.variants[0].id}`);
  t.equal(found.body.items.length, 1, 'for duplicated products too');
});

t.test('adjustments move stock with a reason', async (t) => {
  const shirt = await createStockedVariant(box, 0);
  await createStockedVariant(box, 3);
  const me = (await box.staff.get('/admin/me')).body;
  const added = await adjust(box, shirt.itemId, { quantity: 12, reason: 'received', note: 'Delivery 4711' });
  t.match(added, {
    status: 201,
    body: {
      movement: { quantity: 12, reason: 'received', note: 'Delivery 4711', actorId: me.id, actorLabel: box.email },
      stockItem: { onHand: 12, available: 12 },
    },
  });
  const less = await adjust(box, shirt.itemId, { quantity: -2, reason: 'damaged' });
  t.match(less.body, { movement: { note: null }, stockItem: { onHand: 10 } });
  const none = await adjust(box, shirt.itemId, { quantity: -11, reason: 'lost' });
  t.match(none, { status: 409, body: { code: 'insufficient_stock', detail: /only 10 on hand/ } });
  t.match(await levelOf(box, shirt.itemId), { onHand: 10, ledger: 10 });
  const { items } = (await box.staff.get(`/admin/stock-items/${shirt.itemId}/movements`)).body;
  t.strictSame(
    items.map(({ quantity }: { quantity: number }) => quantity),
    [-2, 12],
    'newest first',
  );
  const page = await box.staff.get(`/admin/stock-items/${shirt.itemId}/movements?limit=1`);
  const next = await box.staff.get(`/admin/stock-items/${shirt.itemId}/movements?cursor=${page.body.nextCursor}`);
  t.strictSame([...page.body.items, ...next.body.items], items);
  const damaged = await box.staff.get(`/admin/stock-items/${shirt.itemId}/movements?reason=damaged`);
  t.equal(damaged.body.items.length, 1);
  t.match((await payloadsOf(box, { type: 'stock.adjusted' })).at(-1), {
    variantId: shirt.variantId,
    quantity: -2,
    reason: 'damaged',
    onHand: 10,
    available: 10,
  });
});

t.test('a repeated idempotency key adjusts once', async (t) => {
  const shirt = await createStockedVariant(box, 0);
  const body = { quantity: 5, reason: 'received' };
  const key = { 'idempotency-key': 'once' };
  const answers = await Promise.all([1, 2, 3].map(() => adjust(box, shirt.itemId, body, key)));
  t.strictSame(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  t.match(await levelOf(box, shirt.itemId), { onHand: 5, ledger: 5 });
});

t.test('concurrent adjustments all count and never go below zero', async (t) => {
  const shirt = await createStockedVariant(box, 10);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => adjust(box, shirt.itemId, { quantity: -1, reason: 'lost' })),
  );
  t.equal(answers.filter(({ status }) => status === 201).length, 10);
  t.equal(answers.filter(({ status }) => status === 409).length, 2);
  t.match(await levelOf(box, shirt.itemId), { onHand: 0, ledger: 0 });
});

t.test('with back-orders allowed a level may become negative, and can always be increased again', async (t) => {
  const shirt = await createStockedVariant(box, 1, { backOrderPolicy: 'allow' });
  t.match(await adjust(box, shirt.itemId, { quantity: -3, reason: 'corrected' }), { status: 201 });
  await box.staff.patch(`/admin/stock-items/${shirt.itemId}`, { backOrderPolicy: 'deny' });
  t.match(await adjust(box, shirt.itemId, { quantity: 1, reason: 'received' }), {
    body: { stockItem: { onHand: -1 } },
  });
  t.match(await adjust(box, shirt.itemId, { quantity: -1, reason: 'lost' }), { status: 409 });
  t.match(await adjust(box, shirt.itemId, { quantity: 4, reason: 'received' }), { body: { stockItem: { onHand: 3 } } });
  t.match(await levelOf(box, shirt.itemId), { onHand: 3, ledger: 3 });
});

t.test('an adjustment that reaches the low-stock level publishes stock.ran_low', async (t) => {
  const shirt = await createStockedVariant(box, 8, { lowStockLevel: 5 });
  const earlier = (await payloadsOf(box, { type: 'stock.ran_low' })).length;
  for (const quantity of [-2, -1, -1, 3, -3]) await adjust(box, shirt.itemId, { quantity, reason: 'corrected' });
  const events = (await payloadsOf(box, { type: 'stock.ran_low' })).slice(earlier);
  t.strictSame(
    events.map(({ available }) => available),
    [5, 4],
  );
});

t.test('the settings of an item can be changed', async (t) => {
  const shirt = await createStockedVariant(box, 3);
  const path = `/admin/stock-items/${shirt.itemId}`;
  const patch = { tracked: false, backOrderPolicy: 'allow', lowStockLevel: 7 };
  const before = (await box.staff.get(path)).body;
  const after = await box.staff.patch(path, patch);
  t.match(after, { status: 200, body: { ...patch, onHand: 3 } });
  t.not(after.body.updatedAt, before.updatedAt);
  t.strictSame((await box.staff.get(path)).body, after.body);
});

t.test('the list has pages, a filter for low stock, and no deleted variants', async (t) => {
  const tenant = await box.openTenant();
  const plenty = await createStockedVariant(tenant, 9, { lowStockLevel: 5 });
  const low = await createStockedVariant(tenant, 5, { lowStockLevel: 5 });
  const none = await createStockedVariant(tenant, 0);
  const untracked = await createStockedVariant(tenant, 0, { tracked: false });
  const deleted = await createStockedVariant(tenant, 0);
  await tenant.staff.delete(`/admin/products/${deleted.productId}`);
  const list = async (query: string) => {
    const { body } = await tenant.staff.get(`/admin/stock-items?${query}`);
    return body.items.map(({ id }: { id: string }) => id);
  };
  const all = [untracked, none, low, plenty].map(({ itemId }) => itemId);
  t.strictSame(await list(''), all);
  t.strictSame(await list('low=true'), [none.itemId, low.itemId]);
  t.strictSame(await list('low=false'), [untracked.itemId, plenty.itemId]);
  t.strictSame(await list(`variantId=${low.variantId}&low=true`), [low.itemId]);
  t.strictSame(await list(`variantId=${newId()}`), []);
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor ? `&cursor=${cursor}` : '';
    const { body } = await tenant.staff.get(`/admin/stock-items?limit=2${next}`);
    found.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  } while (cursor);
  t.strictSame(found, all);
  t.match(
    await tenant.staff.get(`/admin/stock-items/${deleted.itemId}`),
    { status: 200 },
    'a deleted one can still be read',
  );
});

t.test('updatedAfter lists include items whose stock was moved, and deleted variants', async (t) => {
  const tenant = await box.openTenant();
  const [moved, deleted] = [
    await createStockedVariant(tenant, 1),
    await createStockedVariant(tenant, 1),
    await createStockedVariant(tenant, 1),
  ];
  t.match(await tenant.staff.patch(`/admin/variants/${deleted.variantId}`, { externalId: 'DELETED' }), { status: 200 });
  const path = '/admin/stock-items?updatedAfter=';
  const since = (
    await until(
      async () => (await tenant.staff.get(path + new Date(Date.now() - 60_000).toISOString())).body,
      ({ items }) => items.length === 3,
    )
  ).updatedUntil;
  await adjust(tenant, moved.itemId, { quantity: 1, reason: 'received' });
  t.match(await tenant.staff.delete(`/admin/products/${deleted.productId}`), { status: 204 });
  const changes = await until(
    async () => (await tenant.staff.get(path + since)).body,
    ({ items, deleted }) => items.length + deleted.length >= 2,
  );
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  t.strictSame(idsOf(changes.items), [moved.itemId]);
  t.strictSame(idsOf(changes.deleted), [deleted.variantId]);
});

t.test('invalid requests are rejected', async (t) => {
  const { itemId } = await createStockedVariant(box, 1);
  const path = `/admin/stock-items/${itemId}`;
  const adjustment = { quantity: 1, reason: 'received' };
  const cases: [method: string, path: string, body: unknown, pointer: string][] = [
    ['PATCH', path, {}, ''],
    ['PATCH', path, { onHand: 5 }, '/onHand'],
    ['PATCH', path, { backOrderPolicy: 'maybe' }, '/backOrderPolicy'],
    ['PATCH', path, { lowStockLevel: -1 }, '/lowStockLevel'],
    ['POST', `${path}/adjustments`, { ...adjustment, quantity: 0 }, '/quantity'],
    ['POST', `${path}/adjustments`, { ...adjustment, quantity: 1.5 }, '/quantity'],
    ['POST', `${path}/adjustments`, { ...adjustment, quantity: 1e12 }, '/quantity'],
    ['POST', `${path}/adjustments`, { ...adjustment, reason: 'sold' }, '/reason'],
    ['POST', `${path}/adjustments`, { ...adjustment, note: '' }, '/note'],
    ['POST', `${path}/adjustments`, { quantity: 1 }, '/reason'],
    ['GET', '/admin/stock-items?low=maybe', undefined, '/low'],
    ['GET', '/admin/stock-items?sort=sku', undefined, '/sort'],
    ['GET', `${path}/movements?reason=stolen`, undefined, '/reason'],
    ['GET', '/admin/stock-reservations?stockItemId=1', undefined, '/stockItemId'],
  ];
  for (const [method, address, body, pointer] of cases) {
    const answer = await box.staff.call(method, address, { body });
    t.match(
      answer,
      { status: 400, body: { code: 'invalid_request', errors: exactly([{ pointer }]) } },
      `${method} ${address}`,
    );
  }
  const most = { quantity: 1_000_000_000, reason: 'received' };
  for (let times = 0; times < 2; times++) await adjust(box, itemId, most);
  t.match(await adjust(box, itemId, most), { status: 400 }, 'beyond the range of the column');
  t.match(await levelOf(box, itemId), { onHand: 2_000_000_001, ledger: 2_000_000_001 });
});

t.test('shoppers see availability without exact quantities', async (t) => {
  const cases: [onHand: number, item: Record<string, unknown>, status: string, quantity: string | null][] = [
    [0, {}, 'out_of_stock', '0'],
    [1, {}, 'in_stock', '1-9'],
    [9, {}, 'in_stock', '1-9'],
    [10, {}, 'in_stock', '10+'],
    [0, { backOrderPolicy: 'allow' }, 'back_orderable', '0'],
    [3, { backOrderPolicy: 'allow' }, 'in_stock', '1-9'],
    [0, { tracked: false }, 'in_stock', null],
  ];
  for (const [onHand, item, status, quantity] of cases) {
    const { variantId } = await createStockedVariant(box, onHand, item);
    const answer = await box.visitor().get(`/variants/${variantId}/availability`);
    t.equal(answer.status, 200);
    t.strictSame(answer.body, { variantId, status, quantity });
  }
  const shirt = await createStockedVariant(box, 1);
  const path = `/variants/${shirt.variantId}/availability`;
  const sale = { type: 'order', id: newId() };
  await box.db.transaction((tx) => takeStock(tx, [{ variantId: shirt.variantId, quantity: 1 }], sale));
  t.match((await box.visitor().get(path)).body, { status: 'out_of_stock' });
  t.match(await other.visitor().get(path), { status: 404 }, 'not a variant of this tenant');
  t.match(await box.visitor().get(`/variants/${newId()}/availability`), { status: 404 });
  await box.staff.patch(`/admin/products/${shirt.productId}`, { status: 'draft' });
  t.match(await box.visitor().get(path), { status: 404, body: { code: 'not_found' } }, 'not for sale');
});

t.test('an external id of another item is refused, whichever of the statements fails first', async (t) => {
  const tenant = await box.openTenant();
  await createStockedVariant(tenant, 1, { externalId: 'A' });
  const { itemId } = await createStockedVariant(tenant, 1);
  for (let round = 0; round < 10; round++) {
    const refused = await tenant.staff.patch(`/admin/stock-items/${itemId}`, { externalId: 'A', lowStockLevel: round });
    t.match(refused, { status: 409, body: { code: 'external_id_taken' } });
  }
  t.match(await tenant.staff.get(`/admin/stock-items/${itemId}`), { body: { externalId: null, lowStockLevel: 0 } });
});
