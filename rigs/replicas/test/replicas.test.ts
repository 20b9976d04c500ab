/**
 * The replicas rig in its short form: two boxes behind HAProxy are restarted during checkouts, no request fails, and every
 * event is delivered once.
 */
import { exactly, missingPrograms } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

t.test('two boxes are restarted in turn', { skip: missingPrograms('haproxy') }, async (t) => {
  const ended = await rig('replicas', '--short');
  const { orders, eventsDelivered, ...rest } = found(ended);
  t.match(rest, { rig: 'replicas', held: true, broken: exactly([]), restarts: 2, kills: 2, failed: 0 });
  t.strictSame(rest.broken, [], 'no broken promise');
  if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
  t.ok(orders > 0, 'orders were placed');
  t.ok(eventsDelivered > orders, 'and events were delivered');
});
