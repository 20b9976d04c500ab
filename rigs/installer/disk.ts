/**
 * A disk that fills up at every stage of installs and upgrades: one line, exit code 8, no order lost, and with space the same
 * command finishes the work.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Findings, Stage } from '../support/rig.ts';
import { faultsOfFailure, type Installation, messageOf, prepareInstallation } from './command.ts';
import { openOrders } from './orders.ts';
import type { RigVendor } from './vendor.ts';

const megabyte = 1_000_000;
/** More than the check of the disk before an install asks for. */
const diskMegabytes = 1200;

/**
 * The disk becomes full while a request of the command is held back, when so many packages are in place. So it is full
 * before the command goes on, however busy the machine is.
 */
interface Moment {
  what: string;
  held: string;
  /** How many packages are in place; 0 by default. */
  inPlace?: number;
  /** Megabytes that are left. */
  free: number;
}

const release = '/releases/';
/** The largest package is the first to be requested, and the smallest the last. */
const largest = '/-/postgresql-';
const smallest = '/-/tax-';
/** Megabytes of the smallest package: its tarball and its files, for a moment, and the lock file. */
const ofSmallest = 1;
/** A new database needs more, in megabytes. */
const ofDatabase = 40;

/** Moments before the box starts. */
const beforeStart: Moment[] = [
  { what: 'after the activation', held: release, free: 0 },
  { what: 'after the resolution', held: largest, free: 0 },
  { what: 'after the resolution', held: largest, free: 1 },
  { what: 'with 3 packages in place', held: largest, inPlace: 3, free: 10 },
  { what: 'with 14 packages in place', held: largest, inPlace: 14, free: 0 },
  { what: 'with 26 packages in place', held: largest, inPlace: 26, free: 5 },
];
/** The space of a new database, in steps. */
const duringStart = (packages: number, step: number, most: number): Moment[] =>
  Array.from({ length: Math.floor(most / step) + 1 }, (_, number) => ({
    what: 'at the start',
    held: smallest,
    inPlace: packages - 1,
    free: ofSmallest + number * step,
  }));

/** An upgrade pulls one package, whose tarball and files take less than 20 MB together. */
const changed = '/-/core-';
const beforeUpgrade: Moment[] = [
  { what: 'after the activation', held: release, free: 0 },
  { what: 'after the resolution', held: changed, free: 0 },
  { what: 'before the backup', held: changed, free: 30 },
];

/** Mounts a disk for the rig. @returns its folder; undefined if this user or machine cannot */
export async function mountDisk(stage: Stage): Promise<string | undefined> {
  const folder = join(stage.folder, 'disk');
  await mkdir(folder);
  const options = `size=${diskMegabytes}m,mode=755`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) return undefined;
  stage.atEnd('the disk', async () => {
    // What runs from it is stopped by the rig; a lazy unmount does not wait for it.
    if (spawnSync('umount', ['--lazy', folder]).status !== 0) throw new Error('umount failed');
  });
  return folder;
}

export async function fillDisk(stage: Stage, vendor: RigVendor, disk: string): Promise<Findings> {
  const broken: string[] = [];
  const counts = { diskFullInstalls: 0, installsWithEnoughSpace: 0, diskFullUpgrades: 0 };
  const box = await prepareInstallation(stage, vendor, join(disk, 'box'));
  const { packages } = vendor;

  const moments = stage.short
    ? duringStart(packages, 20, 20).slice(1)
    : [...beforeStart, ...duringStart(packages, 8, 200)];
  for (const moment of moments) {
    stage.signal.throwIfAborted();
    const where = `install ${moment.what} with ${moment.free} MB left`;
    const isFull = await fail(stage, vendor, disk, box, moment, where, broken);
    counts[isFull ? 'diskFullInstalls' : 'installsWithEnoughSpace'] += 1;
    if (!isFull && moment.free < ofDatabase) broken.push(`${where}: it did not meet the full disk`);
    if (!isFull) break;
    const state = await box.state();
    if (state !== 'not_installed') broken.push(`${where}: the box is ${state}`);
    await finish(box, where, broken);
    if (moment !== moments.at(-1)) await box.run('uninstall', '--data', '--yes');
  }

  const orders = await openOrders(box.url);
  for (const moment of stage.short ? beforeUpgrade.slice(-1) : beforeUpgrade) {
    stage.signal.throwIfAborted();
    await orders.place(2);
    await vendor.releaseNext();
    const where = `upgrade ${moment.what} with ${moment.free} MB left`;
    const isFull = await fail(stage, vendor, disk, box, moment, where, broken);
    if (isFull) counts.diskFullUpgrades += 1;
    else broken.push(`${where}: it did not meet the full disk`);
    await finish(box, where, broken);
    const gone = await orders.missing();
    if (gone.length > 0) broken.push(`${where}: ${gone.length} of ${orders.placed.length} orders are lost`);
  }
  await box.run('uninstall', '--data', '--yes');
  return { broken, counts: { ...counts, ordersOnFullDisks: orders.placed.length } };
}

/** Installs while the disk becomes full, and makes space again. @returns whether the disk was too full */
async function fail(
  stage: Stage,
  { line }: RigVendor,
  disk: string,
  box: Installation,
  { held, inPlace = 0, free }: Moment,
  where: string,
  broken: string[],
): Promise<boolean> {
  const ballast = join(disk, 'ballast');
  let hasEnded = false;
  let done = 0;
  let reached = () => {};
  const areInPlace = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const atRequest = line.holdAt(held);
  const { ended } = box.begin((event) => {
    done = Math.max(done, event.done ?? 0);
    if (done >= inPlace) reached();
  });
  if (inPlace === 0) reached();
  const filling = (async () => {
    const sendOn = await atRequest;
    await areInPlace;
    const filled = Promise.withResolvers<void>();
    const keeping = keepFull(disk, ballast, free * megabyte, () => hasEnded, filled.resolve);
    await Promise.race([filled.promise, keeping]);
    sendOn();
    await keeping;
  })();
  const end = await ended;
  hasEnded = true;
  await Promise.race([
    filling,
    sleep(10_000).then(() => Promise.reject(new Error(`${where}: there was no such moment; ${messageOf(end)}`))),
  ]);
  await rm(ballast, { recursive: true, force: true });
  if (end.status === 0) {
    stage.say(`${where}: enough space`);
    return false;
  }
  for (const fault of faultsOfFailure(end, 'disk_full')) broken.push(`${where}: ${fault}`);
  stage.say(`${where}: exit code ${end.status}, ${messageOf(end)}`);
  return true;
}

/** Keeps a disk full, with so many bytes left at first: space that the command frees is taken, too. */
async function keepFull(
  disk: string,
  ballast: string,
  free: number,
  isOver: () => boolean,
  onFull: () => void,
): Promise<void> {
  await mkdir(ballast);
  let left = free;
  for (let number = 0; !isOver(); number++) {
    const { bavail, bsize } = await statfs(disk);
    const available = bavail * bsize;
    if (available > left) {
      // The command may take the space meanwhile, and then the call fails.
      await promisify(execFile)('fallocate', ['-l', String(available - left), join(ballast, String(number))]).catch(
        () => {},
      );
    } else {
      left = Math.min(left, available);
      onFull();
    }
    await sleep(20);
  }
}

/** With space, the same command finishes. */
async function finish(box: Installation, where: string, broken: string[]): Promise<void> {
  const end = await box.install();
  if (end.status !== 0) throw new Error(`${where}: with space, the next one ended with ${messageOf(end)}`);
  // The server of a box that ran into the full disk may be restarting.
  for (let waited = 0; waited < 30 && (await box.state()) !== 'ok'; waited++) await sleep(1000);
  const state = await box.state();
  if (state !== 'ok') broken.push(`${where}: with space, the box is ${state}`);
  for (const fault of await box.faults()) broken.push(`${where}: ${fault} remains`);
}
