/**
 * The switch rig in its short form: replacements of the box, and one that fails, lose no request.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

const ended = await rig('switch', '--short', '--switches', '2');
const { orders, requests, connectionsReused, ...rest } = found(ended);
t.match(rest, {
  rig: 'switch',
  held: true,
  broken: exactly([]),
  switches: 2,
  failedStarts: 1,
  stops: 2,
  requestsFailed: 0,
});
t.strictSame(rest.broken, [], 'no broken promise');
if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
t.ok(orders > 0 && requests > 0 && connectionsReused > 0, 'the box was in use');
