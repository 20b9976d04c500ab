/**
 * The rows of a resource that a package of the tests declares: finding, locking and replacing them, and what is published.
 */
import t from 'tap';
import type { TenantDatabase } from '../../db/tenant-database.ts';
import { eventsOf, exactly, until, untilWaiting } from '../../testing/index.ts';
import { createShelfBox, path } from './shelf-package.ts';

const { box, shelves, boxes, filled, replaceBoxes, writes } = await createShelfBox(t);

t.test('another table can record the changes of rows', async (t) => {
  const tenant = await box.openTenant();
  const since = new Date(Date.now() - 60_000).toISOString();
  const ids: string[] = [];
  for (const name of ['Empty', 'Small', 'Large']) {
    ids.push((await tenant.staff.post(path, { name, room: 'Hall', externalId: name })).body.id);
  }
  const [empty, small, large] = ids;
  // Within a millisecond, the order is that of insertion.
  for (const shelfId of [small, large, small]) await boxes.insert(tenant.db, { shelfId });
  t.match(await tenant.staff.delete(`${path}/${empty}`), { status: 204 });
  const follow = (query = {}) => filled.page(tenant.db, { limit: 10, updatedAfter: since, ...query });
  const changes = await until(follow, ({ items, deleted }) => items.length + (deleted?.length ?? 0) >= 3);
  t.strictSame(
    changes.items.map(({ id, name }: { id: string; name: string }) => [id, name]),
    [
      [small, 'Small'],
      [large, 'Large'],
    ],
  );
  t.strictSame(
    changes.deleted.map(({ id, externalId }: { id: string; externalId: string }) => [id, externalId]),
    [[empty, 'Empty']],
  );
  await t.rejects(follow({ room: 'Hall' }), { message: /^updatedAfter cannot be combined with other filters/ });
});

t.test('rows are found in the order of the ids, and choices limit a list to the declared values', async (t) => {
  const tenant = await box.openTenant();
  const ids: string[] = [];
  for (const [name, height] of Object.entries({ A: 1, B: 2, C: 1 })) {
    ids.push((await tenant.staff.post(path, { name, height, room: 'Hall' })).body.id);
  }
  const [a, b, c] = ids;
  const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);
  t.strictSame(idsOf(await shelves.findInOrder(tenant.db, [b, box.id, a, c])), [b, a, c]);
  const page = async (query: object, fixed?: object) => idsOf((await filled.page(tenant.db, query, fixed)).items);
  t.strictSame(await page({ limit: 10, room: 'Hall' }), [c, b, a]);
  t.strictSame(await page({ limit: 10, room: 'Hall' }, { height: 1 }), [c, a]);
  t.strictSame(await page({ limit: 10, room: 'Attic' }), []);
});

t.test('concurrent changes of a row wait for each other', async (t) => {
  const created = (await box.staff.post(path, { name: 'Last', room: 'Hall' })).body;
  const other = (await box.staff.post(path, { name: 'Other again', room: 'Hall' })).body;
  const { id } = await boxes.insert(box.db, { shelfId: created.id });
  let waiting: Promise<unknown[]> = Promise.resolve([]);
  await box.db.transaction(async (tx) => {
    await shelves.lock(tx, created.id);
    await boxes.lock(tx, id);
    await shelves.change(tx, created.id, { name: 'Latest' });
    await boxes.change(tx, id, { shelfId: other.id });
    waiting = Promise.all([
      box.db.transaction((tx) => shelves.lockShared(tx, created.id)),
      box.db.transaction((tx) => boxes.lockShared(tx, id)),
    ]);
    await untilWaiting(box, 2);
  });
  t.match(
    await waiting,
    exactly([{ name: 'Latest' }, { shelfId: other.id }]),
    'the waiting transactions see the change',
  );
});

t.test('rows are found by the values of their columns', async (t) => {
  const tenant = await box.openTenant();
  const ids: string[] = [];
  for (const [name, externalId] of Object.entries({ A: null, B: 'b', C: null, D: null })) {
    ids.push((await tenant.staff.post(path, { name, externalId, room: 'Hall' })).body.id);
  }
  const [a, , c, d] = ids;
  await tenant.staff.delete(`${path}/${d}`);
  const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);
  t.strictSame(idsOf(await shelves.findAllBy(tenant.db, { room: 'Hall', externalId: null }, 10)), [c, a]);
  t.strictSame(idsOf(await shelves.findAllBy(tenant.db, { room: 'Hall', externalId: null }, 1)), [c]);
  t.strictSame(
    await shelves.findAllBy(tenant.db, { externalId: undefined }, 10),
    [],
    'an undefined value equals nothing',
  );
  const { id } = await boxes.insert(tenant.db, { shelfId: a });
  let waiting: Promise<{ id: string; name: string; boxes: number }[]> = Promise.resolve([]);
  await tenant.db.transaction(async (tx) => {
    t.strictSame(idsOf(await shelves.lockAllBy(tx, { externalId: null })), [a, c]);
    waiting = tenant.db.transaction((other) => shelves.lockAllBy(other, { externalId: null }));
    await untilWaiting(box, 1);
    await boxes.remove(tx, id);
    await shelves.change(tx, c, { name: 'Renamed' });
  });
  t.match(
    await waiting,
    exactly([
      { id: a, boxes: 0 },
      { id: c, name: 'Renamed' },
    ]),
    'with the values after locking',
  );
});

t.test('replacing rows writes only what differs', async (t) => {
  const shelf = (await box.staff.post(path, { name: 'Replaced', room: 'Hall' })).body;
  const time = '2026-01-01T00:00:00.000Z';
  const ids = ['1', '2', '3'].map((last) => `0198f5a2-7c1e-7b5a-9f51-3f6a52a1c00${last}`);
  const versions = async () => {
    const stored = await box.db.query<{ id: string; version: string; createdAt: string }>(
      'select id, xmin::text as version, created_at from boxes where tenant_id = $1 and shelf_id = $2 order by id',
      [shelf.id],
    );
    return stored.map((row) => ({ ...row, createdAt: new Date(row.createdAt).toISOString() }));
  };
  const rows = ids.map((id) => ({ id, createdAt: time }));
  await box.db.transaction((tx) => replaceBoxes(tx, shelf.id, [], rows.slice(0, 2)));
  const [first, second] = await versions();
  t.match([first, second], exactly([{ id: ids[0] }, { id: ids[1] }]));
  const wanted = [rows[0], { id: ids[1], createdAt: '2026-02-02T00:00:00.000Z' }, rows[2]];
  await box.db.transaction(async (tx) => replaceBoxes(tx, shelf.id, await versions(), wanted));
  const after = await versions();
  t.strictSame(
    after.map(({ id, createdAt }) => [id, createdAt]),
    wanted.map((row) => [row?.id, row?.createdAt]),
  );
  t.equal(after[0]?.version, first?.version, 'an unchanged row is not written');
  t.not(after[1]?.version, second?.version);
  await box.db.transaction(async (tx) => replaceBoxes(tx, shelf.id, await versions(), []));
  t.strictSame(await versions(), []);
});

t.test('published writes publish the resource that was written, and nothing that failed', async (t) => {
  const tenant = await box.openTenant();
  const shelf = { name: 'One', room: 'Hall', height: 1, labels: [] };
  const payloads = async () => {
    const events = await eventsOf(tenant, { type: /^shelf\./ });
    return events.map(({ type, resource, payload }) => [type, resource.type, payload]);
  };
  const { id } = await writes.create(tenant.db, (tx: TenantDatabase) => shelves.insert(tx, shelf));
  const changed = await writes.change(tenant.db, id, async (tx: TenantDatabase, before: { name: string }) => {
    await boxes.insert(tx, { shelfId: id });
    return shelves.change(tx, id, { name: `${before.name} more` });
  });
  t.match(changed, { id, name: 'One more', boxes: 1 });
  const fails = async (tx: TenantDatabase) => {
    await shelves.change(tx, id, { name: 'Lost' });
    throw new Error('failed');
  };
  await t.rejects(writes.change(tenant.db, id, fails), { message: 'failed' });
  await t.rejects(writes.remove(tenant.db, id, fails), { message: 'failed' });
  for (const write of [writes.change, writes.remove]) {
    const work = () => t.fail('there is nothing to work on');
    await t.rejects(write(tenant.db, box.id, work), { message: `No shelf has the id ${box.id}.` });
  }
  t.match(await shelves.find(tenant.db, id), { name: 'One more' });
  await writes.remove(tenant.db, id, (tx: TenantDatabase, row: { name: string }) => {
    t.equal(row.name, 'One more');
    return tx.remove('boxes', { shelfId: id });
  });
  t.equal(await shelves.find(tenant.db, id), null);
  t.strictSame(await payloads(), [
    ['shelf.created', 'shelf', { name: 'One', boxes: 0 }],
    ['shelf.updated', 'shelf', { name: 'One more', boxes: 1 }],
    ['shelf.deleted', 'shelf', { name: 'One more', boxes: 1 }],
  ]);
});
