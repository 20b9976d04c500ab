/**
 * A box of the first release, 0.1.0, with its command, packages and orders, which the command of this checkout upgrades and
 * then rolls back. The first release is built from the history of this repository.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@carton/runtime/testing';
import type { BuiltPackage } from '../../tools/packages/index.ts';
import { repository } from '../../tools/packages/sources.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { binaryOf, type Ended, messageOf, prepareInstallation } from './command.ts';
import { openOrders, tenantSlug } from './orders.ts';
import type { RigVendor } from './vendor.ts';

const run = promisify(execFile);
const ordersBefore = 20;
const ordersAfter = 5;
/** The subject of the commit after the last one of the first release. */
const nextRelease = '^Version 0.2.0 of the engine and all packages$';

/** Upgrades such a box, and takes the upgrade back with its data. */
export async function upgradeFirstRelease(stage: Stage, vendor: RigVendor): Promise<Findings> {
  const checkout = await checkOutFirstRelease(stage);
  if (!checkout) {
    stage.say('no box of the first release is upgraded: this checkout has no history');
    return { broken: [], counts: {} };
  }
  const broken: string[] = [];
  const expect = ({ status, ...ended }: Ended, expected: number, what: string) => {
    if (status !== expected) throw new Error(`${what} ended with ${messageOf({ status, ...ended })}`);
  };
  const place = { dir: join(stage.folder, 'first-box'), port: await freePort() };
  const first = await prepareInstallation(stage, vendor, place.dir, { port: place.port, binary: binaryOf(checkout) });
  const now = await prepareInstallation(stage, vendor, place.dir, { port: place.port });

  await vendor.small.release({ version: '0.1.0', packages: await buildFirstRelease(stage, checkout) });
  expect(await first.install(), 0, 'the install of the first release');
  const orders = await openOrders(first.url);
  await orders.place(ordersBefore);
  stage.say(`a box of the first release has ${ordersBefore} orders`);

  await vendor.releaseNext();
  expect(await now.run('upgrade'), 0, 'the upgrade');
  const check = async (where: string, placed: readonly string[]) => {
    const missing = (await orders.missing()).filter((id) => placed.includes(id));
    if (missing.length > 0) broken.push(`${where}: ${missing.length} of ${placed.length} orders are lost`);
    const state = await now.state();
    if (state !== 'ok') broken.push(`${where}: the box is ${state}`);
  };
  await check('after the upgrade', orders.placed);
  const before = [...orders.placed];
  await orders.place(ordersAfter);

  expect(await now.run('rollback'), 21, 'a rollback that would lose orders');
  const lost = await now.run('rollback', '--with-data');
  expect(lost, 21, 'a rollback whose loss is not accepted');
  const told = lost.events.at(-1)?.error?.lost?.orders[tenantSlug]?.length;
  if (told !== ordersAfter) broken.push(`${told} of ${ordersAfter} orders are named that the rollback would lose`);
  await check('after the refused rollback', orders.placed);
  expect(await now.run('rollback', '--with-data', '--accept-loss'), 0, 'the rollback');
  await check('after the rollback', before);
  expect(await now.run('uninstall', '--data', '--yes'), 0, 'the removal');
  return { broken, counts: { ordersOfFirstRelease: ordersBefore, ordersToldAsLost: told ?? 0 } };
}

/** @returns the folder of the checkout with its binary; undefined without the history */
async function checkOutFirstRelease(stage: Stage): Promise<string | undefined> {
  const git = (...words: string[]) => run('git', words, { cwd: repository, maxBuffer: 2 ** 30 });
  const { stdout } = await git('log', '--format=%H', '--extended-regexp', '--grep', nextRelease).catch(() => ({
    stdout: '',
  }));
  const commit = stdout.trim().split('\n').at(-1);
  if (!commit) return undefined;
  const checkout = join(stage.folder, 'first-release');
  await mkdir(checkout);
  const archive = join(stage.folder, 'first-release.tar');
  await git('archive', '--output', archive, `${commit}^`);
  await run('tar', ['-xf', archive, '-C', checkout]);
  stage.say('installing what the first release is built with');
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: checkout, maxBuffer: 2 ** 26 });
  stage.say('building the command of the first release');
  await run('npm', ['run', '-s', 'build:installer'], { cwd: checkout, maxBuffer: 2 ** 26 });
  return checkout;
}

const building = `
  import { buildPackages } from './scripts/packages/index.ts';
  console.log(JSON.stringify(await buildPackages({ out: process.cwd() + '/first-packages' })));
`;

/** The packages as its own build makes them. It does not say their kind, which is known from their tier and name. */
async function buildFirstRelease(stage: Stage, checkout: string): Promise<BuiltPackage[]> {
  stage.say('building the packages of the first release');
  const words = ['--conditions=workspace-source', '--input-type=module-typescript', '--eval', building];
  const { stdout } = await run(process.execPath, words, { cwd: checkout, maxBuffer: 2 ** 26 });
  const built = JSON.parse(stdout.trim().split('\n').at(-1) as string) as Omit<BuiltPackage, 'kind'>[];
  return built.map((each) => {
    const isPlatform = /\/(runtime|postgresql-.+)$/.test(each.name);
    return { ...each, kind: each.tier !== null ? 'product' : isPlatform ? 'platform' : 'library' };
  });
}
