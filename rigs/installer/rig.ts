/**
 * The installer under faults, with the real packages and their database: killed at random moments, with a disk that fills
 * up, and with a network that is cut. Each time there is one clear state, the same command finishes the work, and the
 * orders placed before are there.
 */

import type { Findings, Rig } from '../support/rig.ts';
import { cutNetwork, pullCables } from './cuts.ts';
import { fillDisk, mountDisk } from './disk.ts';
import { upgradeFirstRelease } from './first-release.ts';
import { killInstalls, killUpgrades, prepareBox } from './kills.ts';
import { killAtSteps } from './steps.ts';
import { startRigVendor } from './vendor.ts';

export const rig: Rig = {
  about:
    'Kills the installer, fills its disk and cuts its network at all stages of installs and upgrades; upgrades a box of the first release.',
  options: {
    kills: { about: 'kills of the installer, half of them in upgrades', defaultValue: '100', short: '2' },
    only: {
      about: 'which faults; or the upgrade of the first release, which is built from the history of this repository',
      defaultValue: 'all',
      oneOf: ['all', 'kills', 'steps', 'disk', 'network', 'first-release'],
    },
    command: {
      about: 'the command from the source tree, or the binary of npm run build:installer',
      defaultValue: 'source',
      oneOf: ['source', 'binary'],
    },
  },
  timeLimit: (stage) => (stage.short ? 280 : 1500 + 60 * stage.number('kills')),
  async run(stage) {
    const findings: Findings = { broken: [], counts: {} };
    const add = ({ broken, counts }: Findings) => {
      findings.broken.push(...broken);
      Object.assign(findings.counts, counts);
    };
    const runs = (fault: string) => ['all', fault].includes(stage.word('only'));
    const vendor = await startRigVendor(stage);
    await vendor.releaseNext();
    if (runs('network')) {
      add(await cutNetwork(stage, vendor));
      const cables = stage.short ? undefined : await pullCables(stage);
      if (cables) add(cables);
      else if (!stage.short) stage.say('no cables are pulled: network namespaces need root and iproute2');
    }
    if (runs('disk')) {
      const disk = await mountDisk(stage);
      if (disk) add(await fillDisk(stage, vendor, disk));
      else stage.say('no disk is filled: only root can mount one');
    }
    if (runs('kills')) {
      const upgrades = Math.floor(stage.number('kills') / 2);
      const box = await prepareBox(stage, vendor);
      add(await killInstalls(stage, box, stage.number('kills') - upgrades));
      add(await killUpgrades(stage, vendor, box, upgrades));
    }
    if (stage.word('only') === 'steps' || (runs('steps') && !stage.short)) {
      add(await killAtSteps(stage, vendor, await prepareBox(stage, vendor, 'killed-at-steps')));
    }
    if (stage.word('only') === 'first-release' || (runs('first-release') && !stage.short)) {
      add(await upgradeFirstRelease(stage, vendor));
    }
    return findings;
  },
};
