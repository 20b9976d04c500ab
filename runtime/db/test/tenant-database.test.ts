/**
 * TenantDatabase: every statement carries the tenant, a transaction is all or nothing, and changes by staff are
 * reported.
 */
import t from 'tap';
import { gatherExtensions } from '../../extension/extension.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { exactly } from '../../testing/exactly.ts';
import type { Change } from '../changes.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';
import { changeListeners, json } from '../tenant-database.ts';

const { url, drop } = await createTestDatabase('empty');
const database = openDatabase({ url, poolSize: 5 });
t.teardown(async () => {
  await database.close();
  await drop();
});
await database.box.query(`create table notes (
  tenant_id uuid, id uuid, full_text text, tags jsonb, likes bigint, secret_hash text,
  created_at timestamptz(3) default now(), primary key (tenant_id, id), constraint notes_text unique (tenant_id, full_text)
)`);
const [one, other] = [database.forTenant(newId()), database.forTenant(newId())];
const note = (fullText: string) => ({ id: newId(), fullText });

t.test('rows are read and written in camelCase, with times, numbers and JSON as the API returns them', async (t) => {
  const row = await one.insert<Record<string, unknown>>('notes', { ...note('a'), tags: json(['x']), likes: 12 });
  t.match(row, { tenantId: one.tenantId, fullText: 'a', tags: exactly(['x']), likes: 12, createdAt: /^\d{4}-.*Z$/ });
  t.match(await one.table('notes').where({ fullText: 'a' }), exactly([{ fullText: 'a', likes: 12 }]));
  await one.remove('notes', {});
});

t.test('no statement reaches another tenant', async (t) => {
  const mine = await one.insert<{ id: string }>('notes', note('mine'));
  t.strictSame(await other.table('notes'), []);
  t.strictSame(await other.update('notes', { id: mine.id }, { fullText: 'stolen' }), []);
  t.strictSame(await other.remove('notes', { id: mine.id }), []);
  t.strictSame(await other.query('select * from notes where tenant_id = $1 and id = $2', [mine.id]), []);
  await t.rejects(one.query('select * from notes'), /leaves out the tenant/);
  await t.rejects(one.query('select * from notes where likes = $10 or likes = $12'), /leaves out the tenant/);
  await t.resolves(other.insert('notes', note('mine')), 'the same text in two tenants');
  await Promise.all([one.remove('notes', {}), other.remove('notes', {})]);
});

t.test('a transaction is all or nothing, and an inner one joins it', async (t) => {
  const failing = one.transaction(async (tx) => {
    await tx.insert('notes', note('first'));
    await tx.transaction((inner) => inner.insert('notes', note('second')));
    throw new Error('no');
  });
  await t.rejects(failing, /no/);
  t.strictSame(await one.table('notes'), []);
  let calls = 0;
  await one.transaction(async (tx) => {
    tx.afterCommit(() => calls++);
    await tx.insertMany('notes', [note('first'), note('second')]);
    t.equal(calls, 0, 'the task does not run before the commit');
  });
  t.equal(calls, 1);
  t.equal((await one.table('notes')).length, 2);
  await t.rejects(
    one.transaction((tx) => Promise.all([tx.insert('notes', note('first')), tx.insert('notes', note('x'))])),
  );
  t.equal((await one.table('notes')).length, 2, 'statements sent together fail together');
  await one.remove('notes', {});
});

t.test('connections are released after every transaction', async (t) => {
  const transactions = Array.from({ length: 40 }, (_, index) =>
    one
      .transaction(async (tx) => {
        await tx.query('select $1::uuid');
        if (index % 2) throw new Error('no');
      })
      .catch(() => {}),
  );
  await Promise.all(transactions);
  t.equal((await one.query('select $1::uuid')).length, 1);
});

t.test('changes by staff are reported in the same transaction, without secrets', async (t) => {
  const changes: Change[] = [];
  let fails = false;
  database.extensions = gatherExtensions([
    changeListeners.with(async (_, change) => {
      if (fails) throw new Error('not recorded');
      changes.push(change);
    }),
  ]);
  const staff = database.forTenant(one.tenantId).as({ type: 'staff', id: newId(), label: 'ada@example.com' });
  const { id } = await staff.insert<{ id: string }>('notes', { ...note('reported'), secretHash: 'a secret' });
  await staff.update('notes', { id }, { fullText: 'changed' });
  await staff.remove('notes', { id });
  t.match(
    changes,
    exactly([
      {
        action: 'insert',
        table: 'notes',
        before: null,
        after: { fullText: 'reported' },
        actor: { label: 'ada@example.com' },
      },
      { action: 'update', before: { fullText: 'reported' }, after: { fullText: 'changed' } },
      { action: 'delete', before: { fullText: 'changed' }, after: null },
    ]),
  );
  t.notMatch(JSON.stringify(changes), 'a secret');
  await database.forTenant(one.tenantId).insert('notes', note('by a shopper'));
  t.equal(changes.length, 3, 'a shopper is not staff');
  fails = true;
  await t.rejects(staff.insert('notes', note('unreported')), /not recorded/);
  t.strictSame(await one.table('notes').where({ fullText: 'unreported' }), [], 'the change is rolled back');
  database.extensions = new Map();
  await one.remove('notes', {});
});
