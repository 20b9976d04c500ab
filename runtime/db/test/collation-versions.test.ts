/**
 * Indexes are rebuilt once when their collation has another version.
 */
import { createTestDatabase } from '@carton/runtime/testing';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { rebuildIndexes, recordVersions } from '../collation-versions.ts';

const database = await createTestDatabase('empty');
const open = async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
};
const client = await open();
t.teardown(async () => {
  await client.end();
  await database.drop();
});

await client.query(`
  create role indexer_${process.pid} nologin;
  create table notes (id int primary key, title text, code text collate "C", body text);
  create index notes_title on notes (title collate "und-x-icu");
  create index notes_code on notes (code);
  create unique index notes_body on notes (body);
  insert into notes select i, 'Title ' || i, i, 'Body ' || i from generate_series(1, 50) i`);
t.teardown(() => open().then((other) => other.query(`drop role indexer_${process.pid}`).then(() => other.end())));

/** Rebuilds, and returns the indexes that the log names. */
async function rebuilt(by = client, failed = 0): Promise<string[]> {
  const lines: { index?: string; msg: string }[] = [];
  t.equal(await rebuildIndexes(by, pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })), failed);
  return lines.flatMap(({ index, msg }) => (index && msg.startsWith('rebuilding') ? [index] : []));
}

const value = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0];
const fileOf = (index: string) => value(`select pg_relation_filenode('${index}')`);
const commentOf = (index: string) => value(`select obj_description('${index}'::regclass)`);
const root = "collname = 'und-x-icu'";
const versionOfRoot = () => value(`select collversion from pg_collation where ${root}`);
const age = () => client.query(`update pg_collation set collversion = '1.0' where ${root}`);
const actual = await versionOfRoot();

t.test('nothing is rebuilt while versions are the same, and they are recorded', async (t) => {
  t.strictSame(await rebuilt(), []);
  t.equal(await commentOf('notes_title'), `Collations: und-x-icu ${actual}`);
  t.strictSame([await commentOf('notes_code'), await commentOf('notes_body')], [null, null]);
  t.strictSame(await rebuilt(), []);
});

t.test('another version of ICU has its indexes rebuilt once', async (t) => {
  await client.query('comment on index notes_title is null');
  await age();
  const [title, body] = [await fileOf('notes_title'), await fileOf('notes_body')];
  t.strictSame(await rebuilt(), ['notes_title']);
  t.not(await fileOf('notes_title'), title);
  t.equal(await fileOf('notes_body'), body);
  t.equal(await versionOfRoot(), actual, 'PostgreSQL warns no more');
  t.strictSame(await rebuilt(), []);
});

t.test('an index that pg_upgrade took over is rebuilt, although the collation is that of the new server', async (t) => {
  await client.query(`comment on index notes_title is 'Collations: und-x-icu 1.0'`);
  t.strictSame(await rebuilt(), ['notes_title']);
  t.strictSame(await rebuilt(), []);
});

t.test('another version of the default collation has its indexes rebuilt once', async (t) => {
  await client.query("update pg_database set datcollversion = '0' where datname = current_database()");
  const code = await fileOf('notes_code');
  t.strictSame(await rebuilt(), ['notes_body']);
  t.equal(await fileOf('notes_code'), code, 'the collation C has no version');
  t.equal(await value('select datcollversion from pg_database where datname = current_database()'), '1');
  t.strictSame(await rebuilt(), []);
});

t.test('an account that may not record the version of a collation rebuilds its indexes once', async (t) => {
  const other = await open();
  await client.query(`alter table notes owner to indexer_${process.pid}; comment on index notes_title is null`);
  await client.query(`grant create on schema public to indexer_${process.pid}`);
  await age();
  await other.query(`set session authorization indexer_${process.pid}`);
  t.strictSame(await rebuilt(other), ['notes_title']);
  t.equal(await versionOfRoot(), '1.0');
  t.strictSame(await rebuilt(other), []);
  await other.end();
  await client.query(`alter table notes owner to current_user; drop owned by indexer_${process.pid}`);
  t.strictSame(await rebuilt(), []);
  t.equal(await versionOfRoot(), actual, 'a superuser records it');
});

t.test('an index that cannot be rebuilt stays, is named, and leaves the others to be rebuilt', async (t) => {
  await client.query(`create index notes_again on notes (left(body, 4) collate "und-x-icu")`);
  await client.query('comment on index notes_title is null');
  await client.query("update pg_index set indisunique = true where indexrelid = 'notes_again'::regclass");
  await age();
  t.strictSame(await rebuilt(client, 1), ['notes_again', 'notes_title']);
  t.equal(await versionOfRoot(), '1.0', 'PostgreSQL still warns');
  t.strictSame(await rebuilt(client, 1), ['notes_again'], 'it is tried again');
  await client.query("update pg_index set indisunique = false where indexrelid = 'notes_again'::regclass");
  t.strictSame(await rebuilt(), ['notes_again']);
  t.equal(await value('select count(*)::int from pg_index where not indisvalid'), 0, 'nothing is left behind');
  t.equal(await versionOfRoot(), actual);
});

t.test('the comment of an operator stays before the versions', async (t) => {
  await client.query("comment on index notes_title is 'mine'");
  t.strictSame(await rebuilt(), []);
  t.equal(await commentOf('notes_title'), `mine\nCollations: und-x-icu ${actual}`);
  await recordVersions(client, 'notes_title');
  t.equal(await commentOf('notes_title'), `mine\nCollations: und-x-icu ${actual}`);
  await client.query("comment on index notes_title is E'mine\\nCollations: und-x-icu 1.0'");
  t.strictSame(await rebuilt(), ['notes_title']);
  t.equal(await commentOf('notes_title'), `mine\nCollations: und-x-icu ${actual}`);
});
