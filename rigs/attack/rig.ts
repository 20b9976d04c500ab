/**
 * Attacks on a box, a control plane and a registry as they are shipped: each must be refused with the answer that is right.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lineOf } from '../../tools/attacks/attack.ts';
import { kinds } from '../../tools/attacks/kinds/index.ts';
import { runAttacks } from '../../tools/attacks/run.ts';
import { openTarget } from '../../tools/attacks/target.ts';
import { repository } from '../../tools/packages/sources.ts';
import { makeStack, openStack, type Stack } from '../../tools/shipped-stack/stack.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';

/** Makes a stack in the folder of the rig, or starts the one that was named. */
async function startStack({ folder, say, word }: Stage): Promise<Stack> {
  const named = word('stack');
  const shared = { root: repository, say, compared: false, measure: () => () => {} };
  if (named !== '') return openStack({ ...shared, folder: named });
  const own = join(folder, 'stack');
  await mkdir(own);
  return makeStack({ ...shared, folder: own });
}

export const rig: Rig = {
  about:
    'Attacks on a box that the binary has installed, and on the control plane and the registry as they are shipped: each is refused, with the exact status that is right.',
  options: {
    kind: { about: 'the kind of attacks', defaultValue: 'all', oneOf: ['all', ...Object.keys(kinds)] },
    rounds: { about: 'guesses, and other requests that are repeated', defaultValue: '200', short: '30' },
    stack: { about: 'a stack that npm run test:shipped -- --keep has left', defaultValue: '', isFolder: true },
  },
  timeLimit: ({ short }) => (short ? 900 : 3600),
  async run(stage): Promise<Findings> {
    const stack = await startStack(stage);
    stage.atEnd('the stack', () => stack.stop());
    const closing = { teardown: (task: () => Promise<void>) => stage.atEnd('the target', task) };
    const target = await openTarget(closing, stack.settings, stage.number('rounds'));
    const kind = stage.word('kind');
    const attacks = Object.entries(kinds).flatMap(([name, each]) => (kind === 'all' || kind === name ? each : []));
    const outcomes = await runAttacks(attacks, target, (outcome) => stage.say(lineOf(outcome)));
    const broken = outcomes.filter(({ held }) => !held).map(({ name, faults }) => `${name}: ${faults.join('; ')}`);
    for (const name of stack.ended()) broken.push(`${name} has ended`);
    return { broken, counts: { attacks: outcomes.length, notHeld: outcomes.filter(({ held }) => !held).length } };
  },
};
