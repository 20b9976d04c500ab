/**
 * Incremental reads with `updatedAfter`: they report every change, whenever it is committed, and every deletion.
 */
import { decodeCursor, newId } from '@carton/runtime';
import { createTestBox, exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { encodeCursor } from '../../http/paging.ts';

const box = await createTestBox(t);
const { staff } = box;
const longAgo = '2020-01-01T00:00:00.000Z';

interface ChangePage {
  items: { id: string; title: string; updatedAt: string }[];
  deleted: { id: string; externalId: string | null; deletedAt: string }[];
  nextCursor: string | null;
  updatedUntil: string;
}

async function create(title: string, more: object = {}): Promise<string> {
  const { status, body } = await staff.post('/admin/collections', { title, ...more });
  t.equal(status, 201);
  return body.id;
}

async function changes(updatedAfter: string, more = ''): Promise<ChangePage> {
  const { status, body } = await staff.get(`/admin/collections?updatedAfter=${updatedAfter}${more}`);
  t.equal(status, 200);
  return body;
}

/** All changes after a time, page by page. */
async function follow(updatedAfter: string, limit = 2) {
  const pages: ChangePage[] = [];
  let cursor: string | null = null;
  do {
    const page: ChangePage = await changes(updatedAfter, `&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
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

/** The same, once it reports `count` changes: the most recent ones appear with a delay. */
function followUntil(updatedAfter: string, count: number) {
  return until(
    () => follow(updatedAfter),
    ({ titles, deleted }) => titles.length + deleted.length >= count,
  );
}

t.test('changes are listed oldest first, page by page, each in its current state', async (t) => {
  const first = await create('First');
  await create('Second');
  await create('Third');
  await staff.patch(`/admin/collections/${first}`, { title: 'First, changed' });
  const all = await followUntil(longAgo, 3);
  t.strictSame(all.titles, ['Second', 'Third', 'First, changed']);
  t.strictSame(all.deleted, [], 'an update is not a deletion');
  t.equal(all.pages.length, 2);
  for (const { updatedUntil, items } of all.pages.slice(0, -1)) {
    t.ok(
      updatedUntil < (items.at(-1)?.updatedAt as string),
      'before the last page, the next read repeats the time of the last item',
    );
  }
  t.strictSame((await follow(all.updatedUntil)).titles, [], 'reading on from there repeats nothing');
});

t.test('deletions are reported beside changes', async (t) => {
  const from = (await followUntil(longAgo, 3)).updatedUntil;
  const id = await create('Short-lived', { externalId: 'ERP-1' });
  await staff.delete(`/admin/collections/${id}`);
  const kept = await create('Kept');
  const result = await followUntil(from, 2);
  t.strictSame(result.titles, ['Kept']);
  t.match(result.deleted, exactly([{ id, externalId: 'ERP-1', deletedAt: String }]));
  t.strictSame((await changes(result.updatedUntil)).deleted, [], 'only once');
  t.equal((await staff.get(`/admin/collections?externalId=ERP-1`)).body.items.length, 0);
  t.equal((await staff.get(`/admin/collections/${kept}`)).status, 200);
  const other = await box.openTenant();
  const theirs = (await other.staff.get(`/admin/collections?updatedAfter=${longAgo}`)).body;
  t.strictSame([theirs.items, theirs.deleted], [[], []], 'another tenant sees none of it');
});

t.test('a transaction that commits after later ones is not missed', async (t) => {
  const from = (await followUntil(longAgo, 4)).updatedUntil;
  let commit = () => {};
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const slow = box.db.transaction(async (tx) => {
    await tx.insert('collections', { id: newId(), handle: 'slow', title: 'Slow', kind: 'manual' });
    await held;
  });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await create('Quick');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const meanwhile = await follow(from);
  t.strictSame(meanwhile.titles, [], 'nothing later is reported while an earlier transaction is open');
  commit();
  await slow;
  t.strictSame((await followUntil(meanwhile.updatedUntil, 2)).titles, ['Slow', 'Quick']);
});

t.test('updatedAfter rejects other filters and cursors of another order', async (t) => {
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

t.test('a client that was away for longer than deletions are stored must read the complete list again', async (t) => {
  await box.owner.query('update tenants set created_at = $2 where id = $1', [box.id, daysAgo(400)]);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(91)}`), forgotten);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(399)}`), forgotten);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(89)}`), { status: 200 });
  const cursor = encodeCursor(['updated', daysAgo(91), newId()]);
  t.match(await collectionsOf(`updatedAfter=${daysAgo(89)}&cursor=${cursor}`), forgotten, 'with an old cursor, too');
});

t.test('a time before the tenant was created reads the complete list', async (t) => {
  const opening = daysAgo(401);
  await box.owner.query(`update collections set updated_at = $2 where tenant_id = $1 and title <> 'Quick'`, [
    box.id,
    daysAgo(200),
  ]);
  const full = await follow(opening);
  const rows = await box.db.query<{ title: string }>(
    'select title from collections where tenant_id = $1 order by updated_at, id',
  );
  t.ok(rows.length > 4);
  t.strictSame(
    full.titles,
    rows.map(({ title }) => title),
    'including rows changed before the retention period',
  );
  t.equal(full.pages[0]?.updatedUntil, opening, 'an abandoned read starts again: a later time would get 410');
  t.ok(Date.parse(full.updatedUntil) > Date.now() - 60_000);
  t.strictSame((await follow(full.updatedUntil)).titles, []);

  const [sort, time, id, startedAt] = decodeCursor(full.pages[0]?.nextCursor as string, 'updated');
  t.ok(Date.parse(startedAt as string) > Date.now() - 60_000);
  const nextPage = async (startedAt: string) => {
    const cursor = encodeCursor([sort, time, id, startedAt]);
    return collectionsOf(`updatedAfter=${opening}&cursor=${cursor}`);
  };
  t.match(await nextPage(daysAgo(89)), { status: 200 });
  t.match(await nextPage(daysAgo(91)), forgotten, 'a long pause between two pages may miss a deletion');
});
