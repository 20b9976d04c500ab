/**
 * Tests that need programs that a machine may lack are skipped there, with a message that says what to install.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { administrationUrl, missingPrograms, pathOf, sourceRoot, temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { listSourceFiles } from '../sources/source-files.ts';

const root = dirname(sourceRoot);
const files = (await listSourceFiles(root)).filter((file) => file.endsWith('.ts'));
const empty = await temporaryFolder('no-programs-');
t.teardown(() => rm(empty, { recursive: true }));

/** Files without a test that runs where all programs are missing. */
const skipped = [
  'control-plane/dns/test/powerdns.test.ts',
  'control-plane/dns/test/zones.test.ts',
  'control-plane/hosting/test/answers.test.ts',
  'control-plane/hosting/test/hosting.test.ts',
  'control-plane/hosting/test/outages.test.ts',
  'control-plane/test/replicas.test.ts',
  'control-plane/test/webhook-tls.test.ts',
  'installer/backup/test/external.test.ts',
  'installer/test/flush.test.ts',
  'rigs/citus/test/citus.test.ts',
  'rigs/hosting/test/hosting.test.ts',
  'rigs/replicas/test/replicas.test.ts',
  'runtime/openapi/test/explorer.test.ts',
  'scripts/test/control-plane-backup.test.ts',
  'scripts/release/test/release.test.ts',
  'tools/citus/test/citus.test.ts',
  'tools/citus/test/contract-suite.test.ts',
];

/** Runs a file where the PATH has no program. Returns its exit code and its output. */
async function runWithoutPrograms(file: string) {
  const child = spawn(process.execPath, ['--conditions=workspace-source', join(root, file)], {
    cwd: root,
    env: { PATH: empty, HOME: empty, TEST_DATABASE_URL: administrationUrl() },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output, errors };
}

for (const file of skipped) {
  t.test(`${file} without any program`, async (t) => {
    const { code, output, errors } = await runWithoutPrograms(file);
    if (!t.equal(code, 0)) t.comment(output + errors);
    t.match(output, /# .*not installed.*: (apt-get install|build it as root with) \S/);
    t.notMatch(output, /^ +not ok/m);
  });
}

t.test('programs are found by the PATH, and not by a path of their own', async (t) => {
  const fixed = /['"`]\/usr\/(local\/)?(s?bin\/(?!true\b|env\b)|lib\/postgresql)/;
  const users = files.filter((file) => /^(rigs|bench|tools)\/|\/(test|testing)\//.test(file));
  t.ok(users.length > 300);
  const found: string[] = [];
  for (const file of users) if (fixed.test(await readFile(join(root, file), 'utf8'))) found.push(file);
  t.strictSame(found, []);
});

t.test('a program for administrators is found beside those of the PATH', async (t) => {
  const system = join(empty, 'system');
  for (const folder of ['bin', 'sbin']) await mkdir(join(system, folder), { recursive: true });
  const { PATH, TEST_PROGRAMS } = process.env;
  t.teardown(() => {
    process.env.PATH = PATH;
    if (TEST_PROGRAMS !== undefined) process.env.TEST_PROGRAMS = TEST_PROGRAMS;
  });
  process.env.PATH = join(system, 'bin');
  delete process.env.TEST_PROGRAMS;
  const advice = 'haproxy, rsync are not installed: apt-get install haproxy rsync';
  t.equal(missingPrograms('haproxy', 'rsync'), advice);
  t.throws(() => pathOf('rsync'), { message: 'rsync is not installed: apt-get install rsync' });
  await writeFile(join(system, 'sbin/haproxy'), '');
  await symlink('/dev/null', join(system, 'bin/rsync'));
  t.equal(missingPrograms('haproxy', 'rsync'), false);
  t.equal(pathOf('haproxy'), join(system, 'sbin/haproxy'));
});

t.test('where programs are required, none may be missing', async (t) => {
  const { PATH, TEST_PROGRAMS } = process.env;
  t.teardown(() => {
    process.env.PATH = PATH;
    if (TEST_PROGRAMS === undefined) delete process.env.TEST_PROGRAMS;
    else process.env.TEST_PROGRAMS = TEST_PROGRAMS;
  });
  process.env.PATH = empty;
  process.env.TEST_PROGRAMS = 'required';
  t.throws(() => missingPrograms('caddy'), { message: 'caddy is not installed: apt-get install caddy' });
  t.equal(typeof missingPrograms('mmdebstrap'), 'string', 'but those of rigs that are run by hand');
});
