/**
 * The rig of races, with one round of the races of one package.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

t.test('races run in as many rounds as asked for', async (t) => {
  const ended = await rig('races', '--rounds', '1', '--package', 'tax');
  t.match(found(ended), { rig: 'races', held: true, broken: exactly([]), rounds: 1, files: 1 }, { ended });
  t.ok(found(ended).passed > 0);
});
