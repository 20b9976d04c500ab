/**
 * The Citus rig in its short form: kills a worker and adds one during checkouts, and loses nothing.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { missingCitus } from '../../../tools/citus/cluster.ts';
import { found, rig } from '../../test/support/rig.ts';

t.test('a worker is killed, and tenants move to another', { skip: missingCitus() }, async (t) => {
  const ended = await rig('citus', '--short');
  const { orders, ordersWhileMoving, shareOfRowsMoved, ...rest } = found(ended);
  t.match(rest, { rig: 'citus', held: true, broken: exactly([]) });
  t.strictSame(rest.broken, [], 'no broken promise');
  if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
  t.ok(orders > 0 && ordersWhileMoving > 0, 'orders were placed throughout');
  t.ok(shareOfRowsMoved >= 0.1, `${shareOfRowsMoved} of the rows moved`);
});
