/**
 * The rig of the installer in its short form: kills, full disks and cut networks lose nothing, and the next run finishes.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from './support/rig.ts';

t.setTimeout(660_000);

const ended = await rig('installer', '--short');
const { broken, ...counts } = found(ended);
if (!t.match(counts, { rig: 'installer', held: true, cuts: 1, killedInstalls: 1, killedUpgrades: 1 })) {
  t.comment(ended.stdout + ended.stderr);
}
t.match(broken, exactly([]));
t.match(ended.stdout, /exit code 6, the registry at .* is unreachable/);
if (counts.diskFullInstalls === undefined) t.match(ended.stdout, /no disk is filled: only root can mount one/);
else {
  // On a busy machine an update may be done before the disk is full.
  const { diskFullInstalls, installsWithEnoughSpace, diskFullUpgrades, upgradesWithEnoughSpace } = counts;
  t.equal(diskFullInstalls + installsWithEnoughSpace, 1);
  t.equal(diskFullUpgrades + upgradesWithEnoughSpace, 1);
  t.equal(counts.ordersOnFullDisks, 2);
}
