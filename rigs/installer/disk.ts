/**
 * A disk that fills up at every stage of installs and upgrades: one line, exit code 8, no order lost, and with space the same
 * command finishes the work.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Findings, Stage } from '../rig.ts';
import { type Event, faultsOfFailure, type Installation, messageOf, prepareInstallation } from './command.ts';
import { openOrders } from './orders.ts';
import type { RigVendor } from './vendor.ts';

const megabyte = 1_000_000;
/** More than the check of the disk before an install asks for. */
const diskMegabytes = 1200;

/** The disk becomes full when an event is reported, and leaves so many megabytes. */
interface Moment {
  /** Its name, and for a package how many are in place. */
  at: string;
  free: number;
}

/** Moments before the box starts. */
const beforeStart: Moment[] = [
  { at: 'activated', free: 0 },
  { at: 'resolved', free: 0 },
  { at: 'resolved', free: 1 },
  { at: 'package 3', free: 10 },
  { at: 'package 14', free: 0 },
  { at: 'package 26', free: 5 },
];
/** The space of a new database, in steps. */
const duringStart = (step: number, most: number): Moment[] =>
  Array.from({ length: Math.floor(most / step) + 1 }, (_, number) => ({ at: 'laid_out', free: number * step }));

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
  const moments: Moment[] = stage.short ? [{ at: 'laid_out', free: 20 }] : [...beforeStart, ...duringStart(8, 100)];
  const broken: string[] = [];
  const counts = { diskFullInstalls: 0, installsWithEnoughSpace: 0, diskFullUpgrades: 0, upgradesWithEnoughSpace: 0 };
  const box = await prepareInstallation(stage, vendor, join(disk, 'box'));

  for (const moment of moments) {
    stage.signal.throwIfAborted();
    const where = `install with ${moment.free} MB left at ${moment.at}`;
    const isFull = await fail(stage, disk, box, moment, where, broken);
    counts[isFull ? 'diskFullInstalls' : 'installsWithEnoughSpace'] += 1;
    if (isFull) {
      const state = await box.state();
      if (state !== 'not_installed') broken.push(`${where}: the box is ${state}`);
      await finish(box, where, broken);
    }
    await box.run('uninstall', '--data', '--yes');
    if (!isFull && moment.at === 'laid_out') break;
  }

  await finish(box, 'install', broken);
  const orders = await openOrders(box.url);
  const upgrades = stage.short ? [{ at: 'laid_out', free: 1 }] : [...beforeStart.slice(0, 3), ...duringStart(4, 20)];
  for (const moment of upgrades) {
    stage.signal.throwIfAborted();
    await orders.place(2);
    await vendor.releaseNext();
    const where = `upgrade with ${moment.free} MB left at ${moment.at}`;
    const isFull = await fail(stage, disk, box, moment, where, broken);
    counts[isFull ? 'diskFullUpgrades' : 'upgradesWithEnoughSpace'] += 1;
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
  disk: string,
  box: Installation,
  { at, free }: Moment,
  where: string,
  broken: string[],
): Promise<boolean> {
  const ballast = join(disk, 'ballast');
  const matches = ({ event, done }: Event) => at === event || at === `${event} ${done}`;
  let filling: Promise<void> | undefined;
  let hasEnded = false;
  const { ended } = box.begin((event) => {
    if (matches(event)) filling ??= keepFull(disk, ballast, free * megabyte, () => hasEnded);
  });
  const end = await ended;
  hasEnded = true;
  await filling;
  await rm(ballast, { recursive: true, force: true });
  if (!filling) broken.push(`${where}: there was no such moment`);
  if (end.status === 0) {
    stage.say(`${where}: enough space`);
    return false;
  }
  for (const fault of faultsOfFailure(end, 'disk_full')) broken.push(`${where}: ${fault}`);
  stage.say(`${where}: exit code ${end.status}, ${messageOf(end)}`);
  return true;
}

/** Keeps a disk full, with so many bytes left at first: space that the command frees is taken, too. */
async function keepFull(disk: string, ballast: string, free: number, isOver: () => boolean): Promise<void> {
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
