/**
 * The rig of licences and the gated registry, in its short form.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

t.test('downloads go on without the control plane, licences end, and nothing acknowledged is lost', async (t) => {
  const ended = await rig('registry', '--short');
  t.match(found(ended), { rig: 'registry', held: true, broken: exactly([]) }, ended.stdout);
});
