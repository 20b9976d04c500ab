/**
 * The crash rig in its short form: kills and crashes during checkouts lose and duplicate nothing.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

const ended = await rig('crash', '--short', '--kills', '3', '--crashes', '1');
const { orders, ordersConfirmed, foundCartOrdered, ...rest } = found(ended);
t.match(rest, { rig: 'crash', held: true, broken: exactly([]), kills: 3, crashes: 1 });
t.strictSame(rest.broken, [], 'no broken promise');
if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
t.ok(orders > 0, 'orders were placed');
t.equal(orders, ordersConfirmed + foundCartOrdered);
t.match(ended.stdout, /4 of 4: \w+.* served again after \d+ ms/, 'it reports its progress');
