/**
 * The command line of knex with knexfile.ts, started by a Node.js that cannot read TypeScript: the commands of
 * docs/operations.md. scripts/stack/test/stack.test.ts has them on the database of an installed box.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { administerAt, createTestDatabase, freePort, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { knexSettings } from '../../tools/migrations/knex.ts';
import { noOlderNode, type Outcome, runInOlderNode } from './support/older-node.ts';

function knex(command: string, variables: Record<string, string>, program = ['npx', 'knex']): Promise<Outcome> {
  const words = [...program, '--knexfile', 'knexfile.ts', command];
  return runInOlderNode(dirname(sourceRoot), words, { NO_COLOR: '1', ...variables });
}

const applied = async (url: string) =>
  (await administerAt(url, 'select file from applied_migrations order by file')).map(({ file }) => file as string);

t.test('a database of all packages', { skip: noOlderNode }, async (t) => {
  const { url, drop } = await createTestDatabase();
  t.teardown(drop);
  const all = await applied(url);
  const last = all.at(-1) as string;
  const variables = { DATABASE_URL: url };

  const list = await knex('migrate:list', variables);
  t.match(list, { code: 0, errors: '' });
  t.match(list.output, `Found ${all.length} Completed Migration`);
  t.match(list.output, 'No Pending Migration');
  t.notMatch(list.output, /Failed to load/);

  t.match(await knex('migrate:down', variables), { code: 0, output: last, errors: '' });
  t.strictSame(await applied(url), all.slice(0, -1));
  const status = await knex('migrate:status', variables, ['node_modules/.bin/knex']);
  t.match(status, { code: 0, output: `Found 1 Pending Migration file/files.\n${last}\n` }, 'without npx, too');

  t.match(await knex('migrate:up', variables), { code: 0, output: last, errors: '' });
  t.strictSame(await applied(url), all);
});

t.test('an empty database', { skip: noOlderNode }, async (t) => {
  const { url, drop } = await createTestDatabase('empty');
  t.teardown(drop);
  t.match(await knex('migrate:up', { DATABASE_URL: url }), { code: 0, errors: '' });
  t.equal((await applied(url)).length, 1);
  t.match(await knex('migrate:down', { DATABASE_URL: url }), { code: 0, errors: '' });
  t.strictSame(await applied(url), []);
});

t.test('what is missing is named', { skip: noOlderNode }, async (t) => {
  const message = /Set DATABASE_URL=.*CARTON_BOX_DIR/;
  t.match(await knex('migrate:list', {}), { code: 1, errors: message });
  await t.rejects(knexSettings({ DATABASE_URL: '' }), { message });
  const isNoUrl = { message: 'DATABASE_URL must be a URL such as postgres://user:password@host:5432/database.' };
  for (const url of ['localhost', 'mysql://localhost/box', 'postgres://[']) {
    await t.rejects(knexSettings({ DATABASE_URL: url }), isNoUrl, url);
  }
  const refused = `postgres://ada:secret@127.0.0.1:${await freePort()}/box`;
  const outcome = await knex('migrate:list', { DATABASE_URL: refused });
  t.match(outcome, { code: 1, errors: /^The database box at 127\.0\.0\.1:\d+ accepts no connection: .*ECONNREFUSED/ });
  t.notMatch(outcome.errors, /secret|at .*\(/);

  const folder = await mkdtemp(join(tmpdir(), 'knex-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const box = { CARTON_BOX_DIR: folder };
  await t.rejects(knexSettings(box), { message: /must be the folder of an installed box/ });
  await writeFile(join(folder, 'box.json'), '{}');
  await t.rejects(knexSettings(box), { message: `${join(folder, 'current/carton.lock.json')} is missing` });
  const lockFile = join(folder, 'carton.lock.json');
  await writeFile(lockFile, '{ "packages": {} }');
  const isStopped = { message: `Start the box: carton start --dir ${folder}` };
  await t.rejects(knexSettings({ ...box, BOX_PACKAGES: lockFile }), isStopped);
});
