/**
 * The rig of the installer in its short form: kills, full disks and cut networks lose nothing, and the next run finishes.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

const ended = await rig('installer', '--short');
const { broken, ...counts } = found(ended);
if (!t.match(counts, { rig: 'installer', held: true, cuts: 1, killedInstalls: 1, killedUpgrades: 1 })) {
  t.comment(ended.stdout + ended.stderr);
}
t.match(broken, exactly([]));
t.match(ended.stdout, /exit code 6, the registry at .* is unreachable/);
if (counts.diskFullInstalls === undefined) t.match(ended.stdout, /no disk is filled: only root can mount one/);
else {
  const { diskFullInstalls, installsWithEnoughSpace, diskFullUpgrades, ordersOnFullDisks } = counts;
  t.strictSame([diskFullInstalls, installsWithEnoughSpace, diskFullUpgrades, ordersOnFullDisks], [1, 0, 1, 2]);
  t.match(ended.stdout, /install at the start with 21 MB left: exit code 8, the disk is full/);
  t.match(ended.stdout, /upgrade before the backup with 30 MB left: exit code 8, not enough disk space/);
}
