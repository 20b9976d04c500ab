/**
 * Following a list by `updatedAfter`: every change is told, whenever it is committed, and every deletion.
 */
import { decodeCursor, newId } from '@carton/runtime';
import { createTestBox, exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { encodeCursor } from '../../http/paging.ts';

const box = await createTestBox(t);
const { staff } = box;
const longAgo = '2020-01-01T00:00:00.000Z';

interface Told {
  items: { id: string; title: string; updatedAt: string }[];
  deleted: { id: string; externalId: string | null; deletedAt: string }[];
  nextCursor: string | null;
  updatedUntil: string;
}

async function make(title: string, more: object = {}): Promise<string> {
  const { status, body } = await staff.post('/admin/collections', { title, ...more });
  t.equal(status, 201);
  return body.id;
}

async function changes(updatedAfter: string, more = ''): Promise<Told> {
  const { status, body } = await staff.get(`/admin/collections?updatedAfter=${updatedAfter}${more}`);
  t.equal(status, 200);
  return body;
}

/** Everything that is told after a moment, page by page. */
async function follow(updatedAfter: string, limit = 2) {
  const pages: Told[] = [];
  let cursor: string | null = null;
  do {
    const page: Told = await changes(updatedAfter, `&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor);
  return {
    pages,
    titles: pages.flatMap(({ items }) => items.map(({ title }) => title)),
    deleted: pages.flatMap(({ deleted }) => deleted),
    updatedUntil: pages.at(-1)?.updatedUntil as string,
  };
}

/** The same once it tells of something new: what was changed a second ago is told at once, the rest a moment later. */
function toldAfter(updatedAfter: string, count: number) {
  return until(
    () => follow(updatedAfter),
    ({ titles, deleted }) => titles.length + deleted.length >= count,
  );
}

t.test('changes are told oldest first, page by page, each as it is now', async (t) => {
  const first = await make('First');
  await make('Second');
  await make('Third');
  await staff.patch(`/admin/collections/${first}`, { title: 'First, changed' });
  const all = await toldAfter(longAgo, 3);
  t.strictSame(all.titles, ['Second', 'Third', 'First, changed']);
  t.strictSame(all.deleted, [], 'a change is no deletion');
  t.equal(all.pages.length, 2);
  for (const { updatedUntil, items } of all.pages.slice(0, -1)) {
    t.ok(updatedUntil < (items.at(-1)?.updatedAt as string), 'a page that is not the last leaves its last moment open');
  }
  t.strictSame((await follow(all.updatedUntil)).titles, [], 'from there on nothing is told twice');
});

t.test('what is deleted is told beside what was changed', async (t) => {
  const from = (await toldAfter(longAgo, 3)).updatedUntil;
  const id = await make('Short-lived', { externalId: 'ERP-1' });
  await staff.delete(`/admin/collections/${id}`);
  const kept = await make('Kept');
  const told = await toldAfter(from, 2);
  t.strictSame(told.titles, ['Kept']);
  t.match(told.deleted, exactly([{ id, externalId: 'ERP-1', deletedAt: String }]));
  t.strictSame((await changes(told.updatedUntil)).deleted, [], 'once');
  t.equal((await staff.get(`/admin/collections?externalId=ERP-1`)).body.items.length, 0);
  t.equal((await staff.get(`/admin/collections/${kept}`)).status, 200);
  const other = await box.openTenant();
  const theirs = (await other.staff.get(`/admin/collections?updatedAfter=${longAgo}`)).body;
  t.strictSame([theirs.items, theirs.deleted], [[], []], 'another shop is told nothing of it');
});

t.test('a change that is committed after later ones is not missed', async (t) => {
  const from = (await toldAfter(longAgo, 4)).updatedUntil;
  let commit = () => {};
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const slow = box.db.transaction(async (tx) => {
    await tx.insert('collections', { id: newId(), handle: 'slow', title: 'Slow', kind: 'manual' });
    await held;
  });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await make('Quick');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const meanwhile = await follow(from);
  t.strictSame(meanwhile.titles, [], 'nothing later is told while an earlier transaction is open');
  commit();
  await slow;
  t.strictSame((await toldAfter(meanwhile.updatedUntil, 2)).titles, ['Slow', 'Quick']);
});

t.test('it is told without another filter, and a cursor is of its own order', async (t) => {
  t.match(await staff.get(`/admin/collections?updatedAfter=${longAgo}&externalId=a`), {
    status: 400,
    body: { code: 'invalid_request', errors: exactly([{ in: 'query', pointer: '/updatedAfter' }]) },
  });
  const { nextCursor } = (await staff.get('/admin/collections?limit=1')).body;
  t.match(await staff.get(`/admin/collections?updatedAfter=${longAgo}&cursor=${nextCursor}`), { status: 400 });
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const collectionsOf = (query: string) => staff.get(`/admin/collections?${query}`);
const forgotten = { status: 410, body: { code: 'changes_forgotten' } };

t.test('whoever was away for longer than deletions are kept is told to read the whole list again', async (t) => {
  await box.owner.query('update tenants set created_at = $2 where id = $1', [box.id, daysAgo(400)]);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(91)}`), forgotten);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(399)}`), forgotten);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(89)}`), { status: 200 });
  const cursor = encodeCursor(['updated', daysAgo(91), newId()]);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(89)}&cursor=${cursor}`), forgotten, 'by an old cursor, too');
});

t.test('the whole list is read since before the shop was opened', async (t) => {
  const opening = daysAgo(401);
  await box.owner.query(`update collections set updated_at = $2 where tenant_id = $1 and title <> 'Quick'`, [
    box.id,
    daysAgo(200),
  ]);
  const whole = await follow(opening);
  const rows = await box.db.query<{ title: string }>(
    'select title from collections where tenant_id = $1 order by updated_at, id',
  );
  t.ok(rows.length > 4);
  t.strictSame(
    whole.titles,
    rows.map(({ title }) => title),
    'each, though it was changed before what is kept',
  );
  t.equal(whole.pages[0]?.updatedUntil, opening, 'who breaks off begins again: from its last item on is refused');
  t.ok(Date.parse(whole.updatedUntil) > Date.now() - 60_000);
  t.strictSame((await follow(whole.updatedUntil)).titles, []);

  const [sort, time, id, began] = decodeCursor(whole.pages[0]?.nextCursor as string, 'updated');
  t.ok(Date.parse(began as string) > Date.now() - 60_000);
  const turned = async (began: string) => {
    const cursor = encodeCursor([sort, time, id, began]);
    return collectionsOf(`updatedAfter=${opening}&cursor=${cursor}`);
  };
  t.match(await turned(daysAgo(89)), { status: 200 });
  t.match(await turned(daysAgo(91)), forgotten, 'who stayed away between two pages may have missed a deletion');
});
