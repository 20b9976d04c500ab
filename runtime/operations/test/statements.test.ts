/**
 * Slow statements in the log: their text, their request and their duration, and never a value.
 */
import { Writable } from 'node:stream';
import t, { type Test } from 'tap';
import { openDatabase } from '../../db/database.ts';
import { newId } from '../../db/id.ts';
import { createTestBox } from '../../testing/box.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { exactly } from '../../testing/exactly.ts';
import { openLog } from '../log.ts';
import { StatementObserver } from '../statements.ts';

/** A log that collects its lines. */
function collectLog(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const log = openLog(
    level,
    new Writable({
      write(chunk, _, done) {
        for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
        done();
      },
    }),
  );
  return { log, lines };
}

async function openObserved(t: Test, slowFrom: number, level?: string) {
  const { url, drop } = await createTestDatabase('empty');
  const { log, lines } = collectLog(level);
  const observer = new StatementObserver({ log, slowFrom, tracer: null });
  const database = openDatabase({ url, poolSize: 1, observer });
  t.teardown(async () => {
    await database.close();
    await drop();
  });
  return { database, lines, tenantId: newId() };
}

const sleep = (seconds: number) => `select pg_sleep(${seconds})\n  where $1::uuid is not null and $2 <> ''`;

t.test('a slow statement is logged in one line, with its text and without its values', async (t) => {
  const { database, lines, tenantId } = await openObserved(t, 50);
  const db = database.forTenant(tenantId);
  await db.query(sleep(0.1), ['a secret']);
  t.match(
    lines.filter(({ statement }) => /pg_sleep/.test(String(statement))),
    exactly([
      { level: 40, msg: 'slow statement', statement: "select pg_sleep(0.1) where $1::uuid is not null and $2 <> ''" },
    ]),
  );
  t.notMatch(JSON.stringify(lines), /a secret/);
  t.notMatch(JSON.stringify(lines), new RegExp(tenantId));
});

t.test('other statements are not logged, and none when slowFrom is 0', async (t) => {
  for (const slowFrom of [3_600_000, 0]) {
    const { database, lines, tenantId } = await openObserved(t, slowFrom);
    await database.forTenant(tenantId).query(sleep(0.05), ['']);
    t.strictSame(lines, []);
  }
});

t.test('the wait for a connection is logged separately from the statement', async (t) => {
  const { database, lines, tenantId } = await openObserved(t, 100, 'debug');
  const db = database.forTenant(tenantId);
  await Promise.all([db.query(sleep(0.3), ['first']), db.query('select $1::uuid as second')]);
  const second = lines.find(({ statement }) => /second/.test(String(statement)));
  t.ok((second?.waitedMilliseconds as number) >= 250, 'it waited for the first');
  const waits = lines.filter(({ msg }) => msg === 'long wait for a connection to the database');
  t.ok(waits.some(({ level, milliseconds }) => level === 40 && (milliseconds as number) >= 250));
});

t.test('every way to send a statement is observed: builders, transactions, failures', async (t) => {
  const { database, lines, tenantId } = await openObserved(t, 0, 'debug');
  await database.box.query('create table notes (tenant_id uuid, id uuid, text text, primary key (tenant_id, id))');
  const db = database.forTenant(tenantId);
  await db.insertMany(
    'notes',
    Array.from({ length: 200 }, () => ({ id: newId(), text: 'a secret' })),
  );
  await db.table('notes').where({ text: 'a secret' }).limit(1);
  await t.rejects(db.query('select $1::uuid, 1 / 0'));
  const texts = lines.map(({ statement }) => String(statement));
  for (const text of [/^create table/, /^insert into "notes"/, /^select \* from "notes"/, /1 \/ 0/]) {
    t.ok(
      texts.some((known) => text.test(known)),
      String(text),
    );
  }
  t.ok(
    texts.every((text) => text.length <= 2001),
    'long texts are truncated',
  );
  t.notMatch(JSON.stringify(lines), /a secret/);
  await database.knex.raw('select 1');
  await database.knex.transaction((transaction) => transaction.raw('select 2'));
  const sent = lines.map(({ statement }) => statement);
  for (const text of ['select 1', 'BEGIN;', 'select 2', 'COMMIT;']) t.ok(sent.includes(text), text);
});

t.test('the line names the request of the statement', async (t) => {
  const { log, lines } = collectLog();
  const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
  const box = await createTestBox(t, { packages, slowQueries: 1, log });
  await box.owner.query(
    `create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.01); return new; end $$`,
  );
  for (const table of ['stores', 'event_outbox']) {
    await box.owner.query(`create trigger slowly before update on ${table} for each row execute function slowly()`);
  }
  const headers = { 'x-request-id': 'the-request' };
  const response = await box.staff.call('PATCH', '/admin/store', { body: { name: 'Renamed' }, headers });
  t.equal(response.status, 200);
  const slow = lines.filter(({ msg, statement }) => msg === 'slow statement' && /^update/.test(String(statement)));
  const own = slow.filter(({ statement }) => /^update "stores"/.test(String(statement)));
  t.match(own, exactly([{ requestId: 'the-request', operationId: 'updateStore', waitedMilliseconds: Number }]));
  while (!lines.some(({ statement }) => /set dispatched_at/.test(String(statement)))) {
    await box.staff.call('PATCH', '/admin/store', { body: { name: 'Again' }, headers });
  }
  const dispatched = lines.find(({ statement }) => /set dispatched_at/.test(String(statement)));
  t.notOk(dispatched?.requestId, 'background work that follows does not belong to it');
});
