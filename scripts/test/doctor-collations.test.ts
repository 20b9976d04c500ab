/**
 * `carton doctor` counts the indexes that a box rebuilds. The installer cannot import the engine, so both have the query.
 */
import { createTestDatabase } from '@carton/runtime/testing';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { findCollations } from '../../installer/commands/doctor/collation.ts';
import { rebuildIndexes } from '../../runtime/db/collation-versions.ts';

const database = await createTestDatabase('empty');
const client = new pg.Client({ connectionString: database.url });
await client.connect();
t.teardown(async () => {
  await client.end();
  await database.drop();
});
await client.query(`
  create table notes (id int primary key, title text, code text collate "C", body text);
  create index notes_title on notes (title collate "und-x-icu");
  create index notes_swedish on notes (title collate "sv-x-icu", code);
  create index notes_code on notes (code);
  create unique index notes_body on notes (body);
  alter table notes add constraint notes_once exclude (body with =)`);

/** The indexes that the box rebuilds, in its order. */
async function rebuilt(): Promise<string[]> {
  const lines: { index?: string; msg: string }[] = [];
  await rebuildIndexes(client, pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }));
  return lines.flatMap(({ index, msg }) => (index && msg.startsWith('rebuilding') ? [index] : []));
}

const changes: [what: string, statement: string, indexes: string[]][] = [
  ['nothing', 'select 1', []],
  [
    'a version of ICU',
    `comment on index notes_title is null; comment on index notes_swedish is null;
     update pg_collation set collversion = '1.0' where collname in ('und-x-icu', 'sv-x-icu')`,
    ['notes_swedish', 'notes_title'],
  ],
  [
    'a server to which pg_upgrade has moved',
    "comment on index notes_title is 'Collations: und-x-icu 1.0'",
    ['notes_title'],
  ],
  [
    'the same, below a note of the operator',
    "comment on index notes_swedish is E'Of ours\\nCollations: sv-x-icu 1.0'",
    ['notes_swedish'],
  ],
  [
    'a version of the C library',
    "update pg_database set datcollversion = '1.0' where datname = current_database()",
    ['notes_body', 'notes_once'],
  ],
];

for (const [what, statement, indexes] of changes) {
  t.test(`after a change of ${what}`, async (t) => {
    await client.query(statement);
    const { stale } = await findCollations(client);
    t.strictSame(await rebuilt(), indexes);
    t.equal(stale, indexes.length);
    t.match(await findCollations(client), { stale: 0, hasIcu: true });
    t.strictSame((await findCollations(client)).unrecorded, []);
  });
}
