/**
 * Attacks on the box, the control plane and the registry, with few rounds. `npm run rig -- attack` runs them with more.
 */
import { lineOf } from '../../tools/attacks/attack.ts';
import { kinds } from '../../tools/attacks/kinds/index.ts';
import { runAttacks } from '../../tools/attacks/run.ts';
import { openTarget } from '../../tools/attacks/target.ts';
import { subject } from '../subject.ts';

const rounds = 10;

subject(
  'attacks',
  async (t, { settings }) => {
    const target = await openTarget(t, settings, rounds);
    await runAttacks(Object.values(kinds).flat(), target, (outcome) => {
      t.comment(lineOf(outcome));
      t.ok(outcome.held, outcome.name, { said: outcome.faults.join('\n'), at: undefined, stack: '' });
    });
  },
  { compared: false },
);
