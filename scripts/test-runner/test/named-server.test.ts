/**
 * A run on a server of TEST_DATABASE_URL changes and leaves nothing there: the server may be anyone's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { administerAt, administrationUrl } from '../../../runtime/testing/database.ts';

const root = join(sourceRoot, '..');
const server = administrationUrl();
/** The template of this run, by whose name the databases of its other files are known. */
const own = process.env.TEST_TEMPLATE;

/** Runs a small test file in a run of its own. */
async function runWith(environment: NodeJS.ProcessEnv) {
  const { TEST_DATABASE_URL: _, TEST_TEMPLATE: __, ...rest } = process.env;
  const words = [
    '--conditions=workspace-source',
    'scripts/test-runner/test.ts',
    'runtime/country/test/country.test.ts',
  ];
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...rest, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, faults, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, said, faults };
}

const databases = async () => {
  const rows = await administerAt(server, 'select datname as name from pg_database order by 1');
  return new Set(rows.map(({ name }) => String(name)));
};

t.test('a run on a named server replaces no database there, and leaves none', async (t) => {
  await administerAt(server, 'create database carton_template');
  t.teardown(() => administerAt(server, 'drop database carton_template'));
  const before = await databases();
  const { code, said } = await runWith({ TEST_DATABASE_URL: server });
  t.equal(code, 0, said);
  const after = await databases();
  t.ok(after.has('carton_template'));
  const added = [...after].filter((name) => !before.has(name) && !name.startsWith(`${own}_`));
  t.strictSame(added, []);
  if (own) t.ok(after.has(own), 'nor that of another run');
});

t.test('an empty TEST_DATABASE_URL names no server, and PGHOST none either', async (t) => {
  const before = await databases();
  const { hostname, port, username } = new URL(server);
  const { code, said } = await runWith({ TEST_DATABASE_URL: '', PGHOST: hostname, PGPORT: port, PGUSER: username });
  t.equal(code, 0, said);
  const added = [...(await databases())].filter((name) => !before.has(name) && !name.startsWith(`${own}_`));
  t.strictSame(added, []);
});

t.test('a text that is no URL of a database is refused before anything is started', async (t) => {
  for (const url of ['postgres://127.0.0.1', 'nonsense', 'mysql://127.0.0.1/test']) {
    const { code, faults } = await runWith({ TEST_DATABASE_URL: url });
    t.equal(code, 1, url);
    t.match(faults, 'TEST_DATABASE_URL must be a URL with a host and a database', url);
  }
});
