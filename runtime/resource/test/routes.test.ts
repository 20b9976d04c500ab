/**
 * The routes of a resource that a package of the tests declares.
 */
import t from 'tap';
import { eventsOf, until } from '../../testing/index.ts';
import { createShelfBox, path } from './shelf-package.ts';

const { box, shelves, boxes } = await createShelfBox(t);
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
  const events = await eventsOf(box, { resourceId: created.id, type: 'shelf.emptied' });
  t.strictSame(
    events.map(({ resource, payload }) => [resource.type, payload]),
    [['shelf', { name: 'Full', boxes: 2, by: 'staff' }]],
  );
});
