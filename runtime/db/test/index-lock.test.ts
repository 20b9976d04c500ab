/**
 * One box at a time builds indexes, and none during migrations.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, temporaryFolder } from '@carton/runtime/testing';
import pg from 'pg';
import t from 'tap';
import { connect } from '../connection.ts';
import { lockIndexes } from '../index-lock.ts';
import { migrate, withMigrationLock } from '../migrations.ts';

const database = await createTestDatabase('empty');
const knex = connect({ url: database.url });
t.teardown(async () => {
  await knex.destroy();
  await database.drop();
});

async function open(t: { teardown(task: () => Promise<void>): void }) {
  const client = new pg.Client({ connectionString: database.url });
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  client.on('error', () => {});
  await client.connect();
  t.teardown(() => client.end().catch(() => {}));
  return { client, ended };
}

/** A package with one migration. */
async function owner(name: string) {
  const folder = join(await temporaryFolder('index-lock-'), name);
  await mkdir(join(folder, 'migrations'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const sql = `create table ${name} (tenant_id uuid primary key)`;
  const file = join(folder, 'migrations', `20260101000000_${name}_create.js`);
  await writeFile(file, `export const up = (knex) => knex.raw('${sql}');\nexport const down = () => {};\n`);
  return { fullName: `@test/${name}`, folder };
}

t.test('one box builds, and others do not wait', async (t) => {
  const [first, second] = [await open(t), await open(t)];
  t.equal(await lockIndexes(first.client), true);
  t.equal(await lockIndexes(second.client), false);
  await first.client.end();
  t.equal(await lockIndexes((await open(t)).client), true);
});

t.test('none builds while a box applies migrations', async (t) => {
  const { client } = await open(t);
  await withMigrationLock(knex, async () => t.equal(await lockIndexes(client), false));
  await client.end();
  t.equal(await lockIndexes((await open(t)).client), true);
});

t.test('migrations end a build, and a start without migrations does not', async (t) => {
  const builder = await open(t);
  const first = await owner('first');
  t.equal(await lockIndexes(builder.client), true);
  await migrate(knex, [first]);
  await builder.ended;
  const next = await open(t);
  t.equal(await lockIndexes(next.client), true);
  await migrate(knex, [first]);
  t.equal((await next.client.query('select 1 as one')).rows[0].one, 1);
});
