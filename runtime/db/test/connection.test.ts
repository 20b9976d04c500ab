/**
 * The representation of values from PostgreSQL, and the batching of statements.
 */
import { Writable } from 'node:stream';
import t from 'tap';
import { createTestDatabase } from '../../testing/database.ts';
import { batchWrites, type WritingConnection } from '../batch-writes.ts';
import type { Connection } from '../client.ts';
import { instant } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';

t.test('a timestamp is the same instant in every time zone and precision of the server', async (t) => {
  const { url, drop } = await createTestDatabase('empty');
  t.teardown(drop);
  const instants = [
    '2026-02-28 09:30:00.123456+00',
    '2026-02-28 23:59:59.9+00',
    '2000-01-01 00:00:00+00',
    '1969-07-20 20:17:40.05+00',
  ];
  for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York']) {
    const database = openDatabase({ url, settings: { TimeZone: zone } });
    const rows = await database.forTenant(newId()).query<{ text: string; milliseconds: number; moment: string }>(
      `select moment, moment::text as text, floor(extract(epoch from moment) * 1000)::float8 as milliseconds
         from unnest($2::timestamptz[]) moment where $1::text is not null`,
      [instants],
    );
    await database.close();
    const expected = rows.map(({ milliseconds }) => new Date(milliseconds).toISOString());
    t.strictSame(
      rows.map(({ text }) => instant(text)),
      expected,
      zone,
    );
    t.strictSame(
      rows.map(({ moment }) => moment),
      expected,
      `${zone}, in rows`,
    );
    t.equal(rows.length, instants.length);
  }
  t.throws(() => instant('infinity'), RangeError);
});

t.test('statements of one turn of the event loop are sent in one write, in their order', async (t) => {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      writes.push(String(chunk));
      done();
    },
  });
  const connection = {
    connection: { stream },
    query: async ({ text }: { text: string }) => connection.connection._send(Buffer.from(`${text};`)),
  } as unknown as Connection & WritingConnection;
  batchWrites(connection);

  const send = (text: string) => connection.query({ text });
  send('begin');
  // A statement after a promise that is already resolved belongs to the same turn.
  await Promise.all([send('one').then(() => send('after one')), send('two')]);
  await new Promise(setImmediate);
  await send('later');
  await new Promise(setImmediate);
  t.strictSame(writes, ['begin;one;two;after one;', 'later;']);

  send('too late');
  stream.destroy();
  await new Promise(setImmediate);
  t.equal(connection.connection._send(Buffer.from('later')), false);
  t.equal(writes.length, 2, 'nothing is written to a closed socket');
});
