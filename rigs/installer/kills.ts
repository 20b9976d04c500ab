/**
 * `kill -9` of the installer at random moments of installs and upgrades: the box is in one clear state each time, the same
 * command finishes the work, and no order is lost.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings, Stage } from '../support/rig.ts';
import { type Ended, type Installation, messageOf, prepareInstallation } from './command.ts';
import { openOrders } from './orders.ts';
import type { RigVendor } from './vendor.ts';

/** What a box may be after its installer was killed, in the words of `carton status`. */
const statesAfterInstall = ['not_installed', 'ok'];
const statesAfterUpgrade = ['ok', 'not_running', 'box_not_healthy'];

/** Prepares the folder of the box that is installed and upgraded. */
export function prepareBox(stage: Stage, vendor: RigVendor, name = 'killed-box'): Promise<Installation> {
  return prepareInstallation(stage, vendor, join(stage.folder, name));
}

/** Leaves a box that is installed. */
export async function killInstalls(stage: Stage, box: Installation, kills: number): Promise<Findings> {
  const broken: string[] = [];
  const counts: Record<string, number> = {};
  let typical = await timeOfInstall(box);
  await remove(box);
  for (let number = 1; number <= kills; number++) {
    stage.signal.throwIfAborted();
    const { moment, ended } = await killAtRandom(box, typical);
    const where = `install ${number}, killed after ${moment.toFixed(0)} ms in ${stepOf(ended)}`;
    const state = await box.state();
    count(counts, `installs in step ${stepOf(ended)}`);
    count(counts, `after an install: ${state}`);
    if (!statesAfterInstall.includes(state)) broken.push(`${where}: the box is ${state}`);
    const again = await box.install();
    if (again.status !== 0) broken.push(`${where}: the next one ended with ${messageOf(again)}`);
    else if ((await box.state()) !== 'ok') broken.push(`${where}: the box is not healthy after the next one`);
    for (const fault of await box.faults()) broken.push(`${where}: ${fault} remains`);
    typical = Math.max(typical * 0.9, again.milliseconds);
    if (number < kills) await remove(box);
    stage.say(`${where}: ${state}; the next install took ${again.milliseconds.toFixed(0)} ms`);
  }
  return { broken, counts: { killedInstalls: kills, ...counts } };
}

/** Upgrades the installed box, and removes it in the end. */
export async function killUpgrades(
  stage: Stage,
  vendor: RigVendor,
  box: Installation,
  kills: number,
): Promise<Findings> {
  const broken: string[] = [];
  const counts: Record<string, number> = {};
  const orders = await openOrders(box.url);
  await vendor.releaseNext();
  let typical = await timeOfInstall(box);
  for (let number = 1; number <= kills; number++) {
    stage.signal.throwIfAborted();
    await orders.place(2);
    await vendor.releaseNext();
    const { moment, ended } = await killAtRandom(box, typical);
    const where = `upgrade ${number}, killed after ${moment.toFixed(0)} ms in ${stepOf(ended)}`;
    const state = await box.state();
    count(counts, `upgrades in step ${stepOf(ended)}`);
    count(counts, `after an upgrade: ${state}`);
    if (!statesAfterUpgrade.includes(state)) broken.push(`${where}: the box is ${state}`);
    const again = await box.install();
    if (again.status !== 0) throw new Error(`${where}: the next one ended with ${messageOf(again)}`);
    const after = await box.state();
    if (after !== 'ok') broken.push(`${where}: the box is ${after} after the next one`);
    const gone = await orders.missing();
    if (gone.length > 0) broken.push(`${where}: ${gone.length} of ${orders.placed.length} orders are lost`);
    for (const fault of await box.faults()) broken.push(`${where}: ${fault} remains`);
    // An upgrade that was killed late leaves little to do; the next one has everything to do again.
    typical = Math.max(typical * 0.95, again.milliseconds);
    stage.say(`${where}: ${state}; ${orders.placed.length} orders are there`);
  }
  await remove(box);
  return { broken, counts: { killedUpgrades: kills, ordersBeforeKills: orders.placed.length, ...counts } };
}

async function killAtRandom(box: Installation, typical: number): Promise<{ moment: number; ended: Ended }> {
  const { child, ended } = box.begin();
  const moment = Math.random() * typical * 1.05;
  await Promise.race([sleep(moment), ended]);
  child.kill('SIGKILL');
  return { moment, ended: await ended };
}

async function timeOfInstall(box: Installation): Promise<number> {
  const ended = await box.install();
  if (ended.status !== 0) throw new Error(`an install failed: ${messageOf(ended)}`);
  return ended.milliseconds;
}

async function remove(box: Installation): Promise<void> {
  const ended = await box.run('uninstall', '--data', '--yes');
  if (ended.status !== 0) throw new Error(`the box could not be removed: ${messageOf(ended)}`);
}

/** The last step that the command has reported. */
function stepOf({ events, status }: Ended): string {
  if (status === 0) return 'end';
  return events.findLast(({ event }) => event !== 'warning')?.event ?? 'begin';
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
