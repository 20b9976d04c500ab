/**
 * The backup rig in its short form: backups under load are whole, and kills leave nothing half done.
 */
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

const ended = await rig('backup', '--short');
const { ordersLookedFor, ...rest } = found(ended);
t.match(rest, { rig: 'backup', held: true, backups: 3, restores: 3, kills: 2 });
t.strictSame(rest.broken, [], 'no broken promise');
if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
t.ok(ordersLookedFor > 0, 'orders were placed before');
