/**
 * `doctor` names what is wrong with a box, and what mends it.
 */
import { appendFile, chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { administerAt, createTestDatabase, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { packagesFolder, releaseFolder } from '../box/folder.ts';
import type { Finding } from '../index.ts';
import { currentRelease } from '../release/layout.ts';
import { scope } from '../vendor.ts';
import { key, makeBox, type Outcome, type TestBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const licence = { tier: 'basic', packages: [`${scope}/runtime`] };
const vendor = await startVendor([makeRuntime()], { [key]: licence });
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.packages.set(`${scope}/runtime`, makeRuntime());
  vendor.licences.set(key, licence);
  vendor.clockOffset = 0;
});

const findingsOf = ({ end }: Outcome) => (end.result as unknown as { findings: Finding[] }).findings;

/** What `doctor` finds besides what the machine of the test causes: the tests may run as root. */
async function wrong(box: TestBox, options: string[] = []) {
  const outcome = await box.run(['doctor', '--json', ...options]);
  const findings = findingsOf(outcome).filter(({ check, state }) => check !== 'user' && state !== 'ok');
  return {
    exitCode: outcome.exitCode,
    findings: findings.map(({ check, state }) => `${check} ${state}`),
    all: outcome,
  };
}

t.test('a box with which nothing is wrong', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const { exitCode, findings, all } = await wrong(box);
  t.equal(exitCode, 0);
  t.strictSame(findings, []);
  t.strictSame(
    findingsOf(all).map(({ check }) => check),
    [
      'user',
      'secrets',
      'release',
      'disk',
      'box',
      'database',
      'collation',
      'backup',
      'archive',
      'clock',
      'licence',
      'registry',
      'update',
    ],
  );
  t.match(await box.run(['doctor']), { exitCode: 0, stdout: /^box {7}the box is healthy at http/m });
});

t.test('each fault has its check and its advice', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await chmod(box.folder.secrets, 0o644);
  t.match(await wrong(box), { exitCode: 16, findings: exactly(['secrets problem']) });
  await chmod(box.folder.secrets, 0o600);
  await appendFile(box.folder.secrets, 'garbage\n');
  const { all } = await wrong(box);
  t.match(findingsOf(all)[1], { state: 'problem', message: /line \d+ of .*box\.env is not NAME=value/ });
  await writeFile(box.folder.secrets, (await readFile(box.folder.secrets, 'utf8')).replace('garbage\n', ''));

  const release = (await currentRelease(box.folder)) as string;
  await rm(join(packagesFolder(releaseFolder(box.folder, release)), 'runtime', 'package.json'));
  t.strictSame((await wrong(box)).findings, ['release problem']);
  t.match(await box.run(['doctor']), { exitCode: 16, stdout: /^problem: release .* damaged\. Run carton install/m });
  t.match(await box.install(), { exitCode: 0 });
  t.strictSame((await wrong(box)).findings, []);

  await box.run(['stop', '--json']);
  const stopped = await wrong(box);
  t.strictSame(stopped.findings, ['box problem']);
  t.match(
    findingsOf(stopped.all).find(({ check }) => check === 'box'),
    { advice: 'Run carton start' },
  );
});

t.test('faults of the vendor’s services are warnings: the box serves', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  vendor.licences.set(key, {
    status: 403,
    code: 'license_expired',
    title: 'The licence has expired',
    detail: 'Renew it.',
  });
  t.match(await wrong(box), { exitCode: 0 });
  t.strictSame((await wrong(box)).findings, ['licence warning']);
  vendor.licences.set(key, { tier: 'growth', packages: licence.packages });
  t.strictSame((await wrong(box)).findings, ['licence warning']);
  vendor.licences.set(key, licence);
  vendor.packages.set(`${scope}/runtime`, makeRuntime('0.2.0'));
  t.strictSame((await wrong(box)).findings, ['update warning']);
  vendor.clockOffset = -3_600_000;
  t.match(await wrong(box), { exitCode: 16 });
  t.strictSame((await wrong(box)).findings, ['clock problem', 'update warning']);
  t.strictSame((await wrong(box, ['--offline'])).findings, []);
});

t.test('the collations of the database', async (t) => {
  const { url, drop } = await createTestDatabase('empty');
  t.teardown(drop);
  const box = await makeBox(t, vendor);
  await box.install([], { DATABASE_URL: url });
  const collation = async () =>
    findingsOf(await box.run(['doctor', '--json'])).find(({ check }) => check === 'collation');
  await administerAt(
    url,
    'create table notes (title text)',
    'create index titles on notes (title collate "und-x-icu")',
  );
  t.match(await collation(), { state: 'ok', message: /has ICU/ });

  const setVersion = (version: string) =>
    `update pg_collation set collversion = ${version} where collname = 'und-x-icu'`;
  await administerAt(url, setVersion("'1.0'"));
  t.match(await collation(), { state: 'warning', message: /^1 index of .* must be rebuilt/, advice: /box does it/ });
  const [row] = await administerAt(
    url,
    "select pg_collation_actual_version(oid) from pg_collation where collname = 'und-x-icu'",
  );
  await administerAt(url, `comment on index titles is 'Collations: und-x-icu ${row?.pg_collation_actual_version}'`);
  const { advice = '', ...warned } = (await collation()) ?? {};
  t.match(warned, { state: 'warning', message: /PostgreSQL warns/ });
  await administerAt(url, advice.replace('As a superuser of PostgreSQL run: ', ''));
  t.match(await collation(), { state: 'ok' });
  await administerAt(url, "comment on index titles is 'Collations: und-x-icu 1.0'");
  t.match(await collation(), { state: 'warning', message: /^1 index of/ }, 'after pg_upgrade');

  await administerAt(url, 'drop index titles', "delete from pg_collation where collprovider = 'i'");
  t.match(await collation(), {
    state: 'warning',
    message: /has no ICU: lists sorted by title have/,
    advice: /with ICU$/,
  });
});

t.test('without a box', async (t) => {
  const box = await makeBox(t, vendor);
  t.match(await box.run(['doctor', '--json']), { exitCode: 12, end: { error: { code: 'not_installed' } } });
});
