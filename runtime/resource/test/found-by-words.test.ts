/**
 * Rows that are found by the beginnings of their words.
 */
import t from 'tap';
import { createShelfBox, path } from './shelf-package.ts';

const { box, shelves } = await createShelfBox(t);
const names = async (tenant: Pick<typeof box, 'staff'>, query: Record<string, string>) => {
  const { status, body } = await tenant.staff.get(`${path}?${new URLSearchParams(query)}`);
  return status === 200 ? body.items.map(({ name }: { name: string }) => name) : body.errors[0].pointer;
};
const create = async (tenant: Pick<typeof box, 'staff'>, name: string, more: object = {}) =>
  (await tenant.staff.post(path, { name, room: 'Hall', ...more })).body.id as string;

t.test('by the beginning of each word, with and without accents, in the order of the words', async (t) => {
  const tenant = await box.openTenant();
  const other = await box.openTenant();
  for (const name of ['Crème brûlée', 'Oak and oaken', 'Cremona', 'Old oak']) await create(tenant, name);
  await create(other, 'Oak elsewhere');
  t.strictSame(await names(tenant, { q: 'oak' }), ['Old oak', 'Oak and oaken'], 'each once');
  t.strictSame(await names(tenant, { q: ' OAKEN ' }), ['Oak and oaken']);
  t.strictSame(await names(tenant, { q: 'brulee' }), ['Crème brûlée']);
  t.strictSame(await names(tenant, { q: 'BRÛ' }), ['Crème brûlée']);
  t.strictSame(await names(tenant, { q: 'creme b' }), ['Crème brûlée'], 'and what follows the word');
  t.strictSame(await names(tenant, { q: 'ak' }), [], 'not from the middle of a word');
  t.strictSame(await names(tenant, { q: 'elsewhere' }), [], 'of this tenant only');
  const pages: string[][] = [];
  let cursor: string | null = '';
  do {
    const { body } = await tenant.staff.get(`${path}?q=o&limit=1${cursor && `&cursor=${cursor}`}`);
    pages.push(body.items.map(({ name }: { name: string }) => name));
    cursor = body.nextCursor;
  } while (cursor);
  t.strictSame(pages, [['Old oak'], ['Oak and oaken']]);
});

t.test('by the words that a row has now', async (t) => {
  const tenant = await box.openTenant();
  const id = await create(tenant, 'Beech');
  await tenant.staff.patch(`${path}/${id}`, { name: 'Birch' });
  t.strictSame([await names(tenant, { q: 'beech' }), await names(tenant, { q: 'birch' })], [[], ['Birch']]);
  await tenant.staff.patch(`${path}/${id}`, { height: 7 });
  t.strictSame(await names(tenant, { q: 'birch' }), ['Birch']);
  await t.rejects(
    tenant.db.transaction(async (tx) => {
      await shelves.change(tx, id, { name: 'Never' });
      throw new Error('rolled back');
    }),
    { message: 'rolled back' },
  );
  t.strictSame([await names(tenant, { q: 'never' }), await names(tenant, { q: 'birch' })], [[], ['Birch']]);
  await tenant.staff.delete(`${path}/${id}`);
  t.strictSame(await names(tenant, { q: 'birch' }), []);
  t.strictSame(await tenant.db.query('select word_from from shelf_words where tenant_id = $1'), []);
});

t.test('with other filters; what the words copy limits which are read', async (t) => {
  const tenant = await box.openTenant();
  await create(tenant, 'Café shelf', { room: 'Attic', height: 1 });
  await create(tenant, 'Cafe table', { height: 9, externalId: 'T' });
  const id = await create(tenant, 'Cafe chair', { height: 2 });
  t.strictSame(await names(tenant, { q: 'cafe', room: 'Hall' }), ['Cafe chair', 'Cafe table']);
  t.strictSame(
    await names(tenant, { q: 'café', room: 'Hall' }),
    ['Cafe chair', 'Cafe table'],
    'whatever others are called',
  );
  t.strictSame(await names(tenant, { q: 'cafe', atLeast: '3' }), ['Cafe table']);
  t.strictSame(await names(tenant, { q: 'cafe', externalId: 'T' }), ['Cafe table']);
  const { items, nextCursor } = await shelves.page(tenant.db, { limit: 1, q: 'c' }, { room: 'Attic' });
  t.strictSame([items.map(({ name }: { name: string }) => name), nextCursor], [['Café shelf'], null]);
  await shelves.change(tenant.db, id, { room: 'Attic' });
  t.strictSame(await names(tenant, { q: 'cha', room: 'Hall' }), []);
  t.strictSame(await names(tenant, { q: 'cha', room: 'Attic' }), ['Cafe chair']);
});

t.test('what cannot be combined with a text', async (t) => {
  t.equal(await names(box, { q: 'oak', sort: 'name' }), '/sort');
  t.equal(await names(box, { q: 'oak', updatedAfter: '2026-01-01T00:00:00Z' }), '/updatedAfter');
  const { body } = await box.staff.get(`${path}?limit=1`);
  const cursor = body.nextCursor ?? 'WyJuZXdlc3QiLCIyMDI2IiwiMDE5OGY1YTItN2MxZS03YjVhLTlmNTEtM2Y2YTUyYTFjMDAxIl0';
  t.equal(await names(box, { q: 'oak', cursor }), '/cursor', 'of the list that is ordered by time');
});
