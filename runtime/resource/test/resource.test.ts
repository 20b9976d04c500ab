/**
 * The routes and rows of a resource that a package of this test declares.
 */
import t from 'tap';
import type { TenantDatabase } from '../../db/tenant-database.ts';
import { createTestBox, exactly, until, untilWaiting, writePackage } from '../../testing/index.ts';

const index = `
import {
  defineEvent, defineProblem, definePackage, HandleOrId, integrationQuery, looksLikeId, object, publishedWrites, publishRow, replaceRows, resource, rows, shapesOf, Type,
} from '@carton/runtime';

const nameTaken = defineProblem({ code: 'shelf_name_taken', status: 409, title: 'Another shelf has this name' });
const shapes = shapesOf({
  name: 'Shelf',
  fields: { name: Type.String({ minLength: 1 }), height: Type.Integer({ default: 3 }), labels: Type.Array(Type.String(), { default: [] }) },
  immutable: { room: Type.String() },
  readOnly: { boxes: Type.Integer() },
});
export const shelves = rows({
  table: 'shelves', noun: 'shelf', json: ['labels', 'metadata'], softDelete: true,
  computed: { boxes: 'select count(*)::int from boxes where boxes.tenant_id = shelves.tenant_id and boxes.shelf_id = shelves.id' },
  duplicates: { shelves_name: nameTaken },
  filters: { atLeast: (rows, height) => rows.where('shelves.height', '>=', height) },
  sorts: { highest: { column: 'height', direction: 'desc' }, name: { column: 'name', direction: 'asc' } },
});
export const boxes = rows({ table: 'boxes', noun: 'box' });
export const filled = rows({
  table: 'shelves', noun: 'shelf', choices: { room: ['Attic', 'Hall'] },
  changeSource: { table: 'boxes', id: 'shelf_id', resource: 'shelves' },
});
const Seen = object({ id: shapes.Item.properties.id, name: Type.String() }, { $id: 'SeenShelf' });

export const replaceBoxes = (tx, shelfId, current, wanted) => replaceRows(tx, 'boxes', { shelfId }, 'id', current, wanted);
const emptied = defineEvent({
  type: 'shelf.emptied', summary: 'A shelf was emptied',
  payload: object({ name: Type.String(), boxes: Type.Integer(), by: Type.String() }),
});
const updated = defineEvent({
  type: 'shelf.updated', summary: 'A shelf was created, changed or deleted',
  payload: object({ name: Type.String(), boxes: Type.Integer(), deleted: Type.Boolean() }),
});
export const writes = publishedWrites(shelves, updated, 'shelf');
const common = { noun: 'shelf', plural: 'shelves', tag: 'Shelves', rows: shelves, beyond: true };

export default definePackage({ events: [emptied, updated], routes: [...resource({
  ...common, path: '/shelves', access: 'public', item: Seen,
  read: {
    params: HandleOrId('top'), query: object({ loud: Type.Optional(Type.Boolean()) }),
    run: async ({ db, params: { handle }, query }) => {
      const shelf = await (looksLikeId(handle) ? shelves.require(db, handle) : shelves.findBy(db, { name: handle }));
      return { ...shelf, name: query.loud ? shelf.name.toUpperCase() : shelf.name };
    },
  },
}), ...resource({
  ...common, path: '/admin/shelves', access: 'staff', item: shapes.Item,
  list: {
    query: integrationQuery({
      room: Type.Optional(Type.String()), atLeast: Type.Optional(Type.Integer()),
      sort: Type.Optional(Type.Unsafe({ type: 'string', enum: ['highest', 'name'] })),
    }),
    page: shapes.Page,
  },
  create: { body: shapes.Create, problems: [nameTaken], run: ({ db, body }) => shelves.insert(db, body) },
  read: { summary: 'Inspect a shelf' },
  change: { body: shapes.Change, problems: [nameTaken], run: ({ db, params, body }) => shelves.change(db, params.id, body) },
  remove: {},
  actions: {
    empty: {
      problems: [nameTaken],
      run: ({ db, params }) => db.transaction(async (tx) => {
        const shelf = await shelves.lock(tx, params.id);
        for (const { id } of await boxes.lockAllBy(tx, { shelfId: shelf.id })) await boxes.remove(tx, id);
        await publishRow(tx, emptied, 'shelf', shelf, { by: 'staff' });
        return shelves.require(tx, shelf.id);
      }),
    },
  },
})] });
`;
const migration = `
export const up = (knex) => knex.raw(\`
  create table shelves (
    tenant_id uuid not null references tenants (id), id uuid not null, name text not null, height integer not null,
    labels jsonb not null, room text not null, external_id text, metadata jsonb not null default '{}',
    created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now(), deleted_at timestamptz(3),
    primary key (tenant_id, id));
  create unique index shelves_name on shelves (tenant_id, name) where deleted_at is null;
  create unique index shelves_external_id on shelves (tenant_id, external_id);
  create table boxes (
    tenant_id uuid not null, id uuid not null, shelf_id uuid not null, primary key (tenant_id, id),
    created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now(),
    foreign key (tenant_id, shelf_id) references shelves (tenant_id, id))\`);
export const down = (knex) => knex.raw('drop table boxes, shelves');
`;
const written = await writePackage(t, { name: 'shelf', dependencies: ['core', 'auth'], index, migration }, ['tenant']);
const box = await createTestBox(t, { ...written, tier: 'basic' });
const { shelves, boxes, filled, replaceBoxes, writes } = await import(
  new URL('vendor/shelf/index.ts', `file://${written.packagesFrom}`).href
);
const path = '/admin/shelves';
const namesIn = (page: { body: { items: { name: string }[] } }) => page.body.items.map(({ name }) => name);

t.test('one declaration generates the standard routes', async (t) => {
  const own = box.box.routes.filter(({ declaration }) => declaration.path.startsWith(path));
  t.strictSame(
    own.map(({ declaration: { method, operationId, summary, status, permission, problems = [], beyond } }) => [
      `${method} ${operationId}: ${summary} (${status}, ${permission})`,
      problems.map(({ code }) => code).sort(),
      beyond,
    ]),
    [
      ['get listShelves: List shelves, newest first (200, shelf:read)', [], true],
      ['post createShelf: Create a shelf (201, shelf:write)', ['external_id_taken', 'shelf_name_taken'], true],
      ['get readShelf: Inspect a shelf (200, shelf:read)', [], true],
      ['patch updateShelf: Change a shelf (200, shelf:write)', ['external_id_taken', 'shelf_name_taken'], true],
      ['delete deleteShelf: Delete a shelf (204, shelf:write)', [], true],
      ['post emptyShelf: Empty a shelf (200, shelf:write)', ['shelf_name_taken'], true],
    ],
  );
});

t.test('omitted fields get their defaults at creation and stay unchanged in a change', async (t) => {
  const created = await box.staff.post(path, { name: 'Top', room: 'Cellar', labels: ['a'], metadata: { of: 'oak' } });
  t.match(created, { status: 201, body: { name: 'Top', height: 3, room: 'Cellar', boxes: 0, externalId: null } });
  t.strictSame([created.body.labels, created.body.metadata], [['a'], { of: 'oak' }]);
  const one = `${path}/${created.body.id}`;
  t.equal(created.headers.get('location'), one);
  t.strictSame((await box.staff.get(one)).body, created.body);
  await boxes.insert(box.db, { shelfId: created.body.id });
  const changed = await box.staff.patch(one, { name: 'Upper' });
  const { name, boxes: count, updatedAt, ...rest } = changed.body;
  t.strictSame([name, count], ['Upper', 1]);
  const { name: _, boxes: __, updatedAt: before, ...same } = created.body;
  t.strictSame(rest, same);
  t.ok(updatedAt > before);
  t.match(await box.staff.patch(one, { room: 'Attic' }), { status: 400 }, 'an immutable field cannot be changed');
  t.match(await box.staff.post(path, { name: 'X', room: 'Y', boxes: 2 }), { status: 400 });
});

t.test('duplicates are 409, and soft-deleted rows are not found', async (t) => {
  const created = (await box.staff.post(path, { name: 'Taken', room: 'Hall', externalId: 'E1' })).body;
  const other = (await box.staff.post(path, { name: 'Other', room: 'Hall' })).body;
  const duplicate = { status: 409, body: { code: 'shelf_name_taken' } };
  t.match(await box.staff.post(path, { name: 'Taken', room: 'Hall' }), duplicate);
  t.match(await box.staff.patch(`${path}/${other.id}`, { name: 'Taken' }), duplicate);
  t.match(await box.staff.patch(`${path}/${other.id}`, { externalId: 'E1' }), {
    status: 409,
    body: { code: 'external_id_taken' },
  });
  t.match(await box.staff.delete(`${path}/${created.id}`), { status: 204 });
  const detail = `No shelf has the id ${created.id}.`;
  for (const response of [
    await box.staff.get(`${path}/${created.id}`),
    await box.staff.patch(`${path}/${created.id}`, { name: 'Again' }),
    await box.staff.delete(`${path}/${created.id}`),
  ]) {
    t.match(response, { status: 404, body: { code: 'not_found', detail } });
  }
  await t.rejects(
    box.db.transaction((tx) => shelves.lock(tx, created.id)),
    { message: detail },
  );
  t.equal(await box.db.transaction((tx) => shelves.lockShared(tx, created.id)), null);
  t.equal(await shelves.findBy(box.db, { name: 'Taken' }), null);
  t.match(await box.staff.post(path, { name: 'Taken', room: 'Hall' }), { status: 201 }, 'its name is available again');
  t.strictSame([...(await shelves.findMany(box.db, [created.id, other.id])).keys()], [other.id]);
});

t.test('a list has filters, sorts and pages, and no rows of other tenants', async (t) => {
  const tenant = await box.openTenant();
  for (const [name, height, room] of [
    ['A', 1, 'Hall'],
    ['B', 5, 'Hall'],
    ['C', 5, 'Attic'],
    ['D', 2, 'Hall'],
  ] as const) {
    t.match(await tenant.staff.post(path, { name, height, room, externalId: `of ${name}` }), { status: 201 });
  }
  t.strictSame(namesIn(await tenant.staff.get(path)), ['D', 'C', 'B', 'A']);
  t.strictSame(namesIn(await tenant.staff.get(`${path}?room=Hall`)), ['D', 'B', 'A']);
  t.strictSame(namesIn(await tenant.staff.get(`${path}?room=Hall&atLeast=2`)), ['D', 'B']);
  t.strictSame(namesIn(await tenant.staff.get(`${path}?externalId=of%20B`)), ['B']);
  t.strictSame(namesIn(await tenant.staff.get(`${path}?sort=name`)), ['A', 'B', 'C', 'D']);
  const seen: string[] = [];
  let next = '';
  do {
    const page = await tenant.staff.get(`${path}?sort=highest&limit=1${next && `&cursor=${next}`}`);
    seen.push(...namesIn(page));
    next = page.body.nextCursor ?? '';
  } while (next);
  t.strictSame(seen, ['C', 'B', 'D', 'A'], 'ties are broken by id, and no row is repeated');
  const first = await tenant.staff.get(`${path}?sort=highest&limit=1`);
  t.match(await tenant.staff.get(`${path}?sort=name&cursor=${first.body.nextCursor}`), { status: 400 });
  t.match(await tenant.staff.get(`${path}?updatedAfter=2020-01-01T00:00:00Z&room=Hall`), { status: 400 });
  const followed = await until(
    async () => namesIn(await tenant.staff.get(`${path}?updatedAfter=2020-01-01T00:00:00Z`)),
    (names) => names.length >= 4,
  );
  t.strictSame(followed, ['A', 'B', 'C', 'D']);
});

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

t.test('a resource can be read by its handle, too', async (t) => {
  const created = (await box.staff.post(path, { name: 'top', room: 'Hall' })).body;
  const visitor = box.visitor();
  t.strictSame((await visitor.get('/shelves/top')).body, { id: created.id, name: 'top' });
  t.strictSame((await visitor.get(`/shelves/${created.id}?loud=true`)).body, { id: created.id, name: 'TOP' });
  t.match(await visitor.get('/shelves/top?quiet=true'), { status: 400 });
  const read = box.box.routes.find(({ declaration }) => declaration.path === '/shelves/:handle');
  t.equal(read?.declaration.operationId, 'readSeenShelf');
  t.strictSame(
    read?.declaration.problems?.map(({ code }) => code),
    ['not_found'],
  );
});

t.test('an action returns the row, and its event has the values of the row', async (t) => {
  const created = (await box.staff.post(path, { name: 'Full', room: 'Hall' })).body;
  for (let count = 0; count < 2; count++) await boxes.insert(box.db, { shelfId: created.id });
  const emptied = await box.staff.post(`${path}/${created.id}/empty`);
  t.match(emptied, { status: 200, body: { id: created.id, boxes: 0 } });
  t.match(await box.staff.post(`${path}/${box.id}/empty`), { status: 404 });
  t.match(await box.visitor().post(`${path}/${created.id}/empty`), { status: 401 });
  const events = await box.db.query(
    "select type, resource_type, payload from event_outbox where tenant_id = $1 and resource_id = $2 and type = 'shelf.emptied'",
    [created.id],
  );
  t.strictSame(events, [
    { type: 'shelf.emptied', resourceType: 'shelf', payload: { name: 'Full', boxes: 2, by: 'staff' } },
  ]);
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
    const events = await tenant.db.query<{ resourceType: string; payload: unknown }>(
      "select resource_type, payload from event_outbox where tenant_id = $1 and type = 'shelf.updated' order by id",
    );
    return events.map(({ resourceType, payload }) => [resourceType, payload]);
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
    ['shelf', { name: 'One', boxes: 0, deleted: false }],
    ['shelf', { name: 'One more', boxes: 1, deleted: false }],
    ['shelf', { name: 'One more', boxes: 1, deleted: true }],
  ]);
});
