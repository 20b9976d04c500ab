/**
 * `kill -9` of an upgrade whose migration is not additive, and of a rollback with its data, at each step that they report:
 * the same command completes or undoes the work, and every order that was acknowledged before is there.
 */
import type { Findings, Stage } from '../support/rig.ts';
import { type Ended, type Installation, messageOf } from './command.ts';
import { openOrders } from './orders.ts';
import type { RigVendor } from './vendor.ts';

const upgradeWords = ['upgrade'];
const rollbackWords = ['rollback', '--with-data', '--accept-loss'];
/** What the box may be after the kill, in the words of `carton status`. */
const states = ['ok', 'not_running', 'box_not_healthy'];

/** Installs a box and removes it in the end. */
export async function killAtSteps(stage: Stage, vendor: RigVendor, box: Installation): Promise<Findings> {
  const broken: string[] = [];
  const counts: Record<string, number> = { killedAtSteps: 0 };
  await mustEndWith(box.install(), 'the install');
  const orders = await openOrders(box.url);

  const check = async (where: string) => {
    const state = await box.state();
    if (state !== 'ok') broken.push(`${where}: the box is ${state} after the next one`);
    const gone = await orders.missing();
    if (gone.length > 0) broken.push(`${where}: ${gone.length} of ${orders.placed.length} orders are lost`);
    for (const fault of await box.faults()) broken.push(`${where}: ${fault} remains`);
  };
  /** @returns the steps, of a run that is not killed */
  const stepsOf = async (words: string[], prepare: () => Promise<void>) => {
    await prepare();
    const { events } = await mustEndWith(box.run(...words), words.join(' '));
    return [...new Set(events.map(({ event }) => event))].filter((event) => event !== 'result');
  };
  const killEach = async (words: string[], prepare: () => Promise<void>, rerun: () => Promise<Ended>) => {
    for (const step of await stepsOf(words, prepare)) {
      stage.signal.throwIfAborted();
      await prepare();
      const where = `${words[0]} killed at ${step}`;
      const { child, ended } = box.begin((event) => event.event === step && child.kill('SIGKILL'), words);
      const { status } = await ended;
      // A step near the end may be reported when nothing is left to do.
      counts.killedAtSteps = (counts.killedAtSteps ?? 0) + (status === null ? 1 : 0);
      const state = await box.state();
      if (!states.includes(state)) broken.push(`${where}: the box is ${state}`);
      await mustEndWith(rerun(), `${where}: the next one`);
      await check(where);
      stage.say(`${where}: ${state}; ${orders.placed.length} orders are there`);
    }
  };

  await killEach(
    upgradeWords,
    async () => {
      await orders.place(2);
      await vendor.releaseNext();
    },
    () => box.run(...upgradeWords),
  );
  await killEach(
    rollbackWords,
    async () => {
      await orders.place(2);
      await vendor.releaseNext();
      await mustEndWith(box.run(...upgradeWords), 'the upgrade before a rollback');
    },
    () => box.run(...rollbackWords),
  );
  await mustEndWith(box.run('uninstall', '--data', '--yes'), 'the removal');
  return { broken, counts };
}

async function mustEndWith(running: Promise<Ended>, what: string): Promise<Ended> {
  const ended = await running;
  if (ended.status !== 0) throw new Error(`${what} ended with ${messageOf(ended)}`);
  return ended;
}
