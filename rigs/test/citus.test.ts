/**
 * The rig of a box on Citus in its short form: a worker is killed and one is added under checkouts, and nothing is lost.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { whyNoCitus } from '../../tools/citus/cluster.ts';
import { found, rig } from './support/rig.ts';

t.setTimeout(600_000);

t.test('a worker is killed, and shops move to another', { skip: whyNoCitus() ?? false }, async (t) => {
  const ended = await rig('citus', '--short');
  const { orders, ordersWhileMoving, shareOfRowsMoved, ...rest } = found(ended);
  t.match(rest, { rig: 'citus', held: true, broken: exactly([]) });
  t.strictSame(rest.broken, [], 'no promise broke');
  if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
  t.ok(orders > 0 && ordersWhileMoving > 0, 'there was trade all the while');
  t.ok(shareOfRowsMoved >= 0.1, `${shareOfRowsMoved} of the rows have moved`);
});
