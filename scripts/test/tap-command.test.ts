/**
 * `npx tap <files>` by itself, right after `npm ci`, with an older Node.js on the PATH: nothing is built, the files share
 * one PostgreSQL server, and it ends with the run.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { processesWith, sourceRoot, temporaryFolder, until } from '@carton/runtime/testing';
import t from 'tap';
import { noOlderNode, runInOlderNode } from './support/older-node.ts';

const root = dirname(sourceRoot);

/** A folder with everything in the project but what an earlier run of tap has left. */
async function freshProject(): Promise<string> {
  const folder = await temporaryFolder('fresh-');
  for (const name of await readdir(root)) {
    if (!['.tap', '.git', '.carton'].includes(name)) await symlink(join(root, name), join(folder, name));
  }
  return folder;
}

const small = `
import { administerAt, createTestDatabase } from '@carton/runtime/testing';
import t from 'tap';
const { url, drop } = await createTestDatabase();
t.teardown(drop);
const [row] = await administerAt(url, 'select count(*)::int as regions from regions');
t.equal(row.regions, 0, 'it has the tables of all packages');
t.comment('server ' + process.env.TEST_DATABASE_URL);
`;

t.test('files that need a database', { skip: noOlderNode }, async (t) => {
  const folder = await freshProject();
  const temporary = join(folder, 'temporary');
  await mkdir(temporary, { mode: 0o711 });
  t.teardown(() => rm(folder, { recursive: true }));
  for (const name of ['one.test.ts', 'two.test.ts']) await writeFile(join(folder, name), small);

  const files = ['vendor/region/test/regions.test.ts', 'one.test.ts', 'two.test.ts'];
  const words = ['npx', 'tap', '--reporter=tap', '--disable-coverage', ...files];
  const { code, output, errors } = await runInOlderNode(folder, words, { TMPDIR: temporary });
  if (!t.equal(code, 0)) t.comment(output + errors);
  for (const file of files) t.match(output, new RegExp(`^ok \\d - ${file} #`, 'm'));
  const servers = [...output.matchAll(/server (postgres:\S+)/g)].map(([, url]) => url);
  t.equal(servers.length, 2);
  t.equal(servers[0], servers[1], 'they share the server');
  t.notOk(existsSync(join(folder, '.tap/plugins')), 'tap needs no build');

  await until(
    () => readdir(temporary),
    (left) => left.every((name) => !name.startsWith('carton-tests-')),
  );
  await until(
    () => processesWith(temporary),
    (left) => left.length === 0,
  );
});

t.test('a file that Node.js runs by itself', async (t) => {
  const folder = await freshProject();
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'one.test.ts'), small);
  const words = [process.execPath, '--conditions=workspace-source', 'one.test.ts'];
  const { code, output, errors } = await runInOlderNode(folder, words, { TMPDIR: folder, TAP_TIMEOUT: '300' });
  if (!t.equal(code, 0)) t.comment(output + errors);
  await until(
    () => readdir(folder),
    (left) => left.every((name) => !name.startsWith('carton-tests-')),
  );
});
