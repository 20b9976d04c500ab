/**
 * What a service returns from its database: pages of a list, and problems for database errors.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { openDatabase } from '../../db/database.ts';
import { DatabaseBusy, isForeignKeyViolation, isUniqueViolation } from '../../db/errors.ts';
import { newId } from '../../db/id.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { problemOfDatabaseError } from '../database-problems.ts';
import { newestFirst, paginate } from '../paging.ts';

const { url, drop } = await createTestDatabase('empty');
const database = openDatabase({ url, poolSize: 5 });
t.teardown(async () => {
  await database.close();
  await drop();
});
await database.box.query(`create table notes (
  tenant_id uuid, id uuid, full_text text, created_at timestamptz(3) default now(),
  primary key (tenant_id, id), constraint notes_text unique (tenant_id, full_text)
)`);
await database.box.query(
  'create table parts (tenant_id uuid, external_id text, constraint parts_external_id unique (tenant_id, external_id))',
);
const one = database.forTenant(newId());
const note = (fullText: string) => ({ id: newId(), fullText });

t.test('pages neither repeat nor skip rows while others are inserted and deleted', async (t) => {
  await one.insertMany(
    'notes',
    Array.from({ length: 7 }, (_, index) => note(`n${index}`)),
  );
  const query = () => database.forTenant(one.tenantId).table<{ id: string; fullText: string }>('notes');
  const first = await paginate(query(), 'notes', { limit: 3 });
  await one.insert('notes', note('newer'));
  await one.remove('notes', { id: first.items[0]?.id });
  const second = await paginate(query(), 'notes', { limit: 3, cursor: first.nextCursor as string });
  const third = await paginate(query(), 'notes', { limit: 3, cursor: second.nextCursor as string });
  const seen = [...first.items, ...second.items, ...third.items].map(({ fullText }) => fullText);
  t.strictSame(seen, ['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0']);
  t.equal(third.nextCursor, null);
  const byText = { name: 'text', column: 'fullText', direction: 'asc' } as const;
  const texts = await paginate(query(), 'notes', { limit: 100 }, byText);
  t.strictSame(
    texts.items.map(({ fullText }) => fullText),
    ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'newer'],
  );
  t.equal((await paginate(query(), 'notes', { limit: 7 }, byText)).nextCursor, null, 'a full page may be the last');
  for (const cursor of ['x', first.nextCursor as string, Buffer.from('["text",{},"x"]').toString('base64url')]) {
    const error = await paginate(query(), 'notes', { limit: 3, cursor }, byText).catch((error) => error);
    t.match(error, { type: { code: 'invalid_request' } }, cursor);
  }
  await t.resolves(paginate(query(), 'notes', { limit: 3, cursor: first.nextCursor as string }, newestFirst));
});

t.test('database errors map to problems', async (t) => {
  await one.insert('notes', note('twice')).catch(() => {});
  const duplicate = await one.insert('notes', note('twice')).catch((error) => error);
  t.ok(isUniqueViolation(duplicate, 'notes_text') && isUniqueViolation(duplicate));
  t.notOk(isUniqueViolation(duplicate, 'other'));
  t.notOk(isForeignKeyViolation(duplicate));
  t.equal(problemOfDatabaseError(duplicate), undefined, 'the package that owns the constraint maps its violation');
  await one.insert('parts', { externalId: 'ERP-1' });
  const duplicateId = await one.insert('parts', { externalId: 'ERP-1' }).catch((error) => error);
  t.match(problemOfDatabaseError(duplicateId), { type: { status: 409, code: 'external_id_taken' } });
  const nul = await one.insert('notes', note('\0')).catch((error) => error);
  t.match(problemOfDatabaseError(nul), { type: { status: 400, code: 'invalid_request' } });
  const unreachable = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none' });
  const refused = await unreachable.box.query('select 1').catch((error) => error);
  t.match(problemOfDatabaseError(refused), { type: { status: 503 }, headers: { 'Retry-After': '2' } });
  await unreachable.close();
  const nowhere = openDatabase({ url: 'postgres://nobody@localhost/none?host=/nowhere' });
  const missing = await nowhere.box.query('select 1').catch((error) => error);
  t.match(problemOfDatabaseError(missing), { type: { status: 503 } }, 'a socket is missing');
  await nowhere.close();
  const file = await readFile('/nowhere').catch((error) => error);
  t.equal(problemOfDatabaseError(file), undefined, 'a file that is missing is a bug');
  t.match(problemOfDatabaseError(new DatabaseBusy('Too many requests are waiting.', 7)), {
    type: { status: 503, code: 'unavailable' },
    message: 'Too many requests are waiting.',
    headers: { 'Retry-After': '7' },
  });
  const killed = one.query('select $1::uuid, pg_terminate_backend(pg_backend_pid())').catch((error) => error);
  t.equal(problemOfDatabaseError(await killed)?.type.status, 503);
  t.equal((await one.query('select $1::uuid')).length, 1, 'the pool replaces the connection');
});
