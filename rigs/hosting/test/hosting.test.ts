/**
 * The rig of the website hosting layer, in its short form.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';
import { findMissing } from '../layer.ts';

t.test(
  'websites are reached with each protocol, and go on without the control plane',
  { skip: findMissing() },
  async (t) => {
    const ended = await rig('hosting', '--short');
    t.match(found(ended), { rig: 'hosting', held: true, broken: exactly([]) }, ended.stdout);
  },
);
