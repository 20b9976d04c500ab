/**
 * Licences and the gated registry as processes: pulls without a control plane, rotated keys, revoked licences, guesses,
 * and kills under load.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { startVendor, type Vendor } from '../support/vendor.ts';
import { timeGuesses } from './guesses.ts';
import { killUnderLoad } from './kills.ts';
import { installWithoutControlPlane } from './npm-installs.ts';
import { pullWithoutControlPlane } from './outage.ts';
import { revokeUnderLoad } from './revocation.ts';
import { rotateUnderLoad } from './rotation.ts';

export const rig: Rig = {
  about:
    'A control plane and two registries under load, while keys are rotated, licences revoked, and processes killed. 0 leaves a part out.',
  options: {
    pulls: { about: 'pulls of all packages at once, without a control plane', defaultValue: '200', short: '5' },
    npm: { about: 'runs of npm install of all packages, without a control plane', defaultValue: '200', short: '2' },
    rotations: { about: 'rotations of the signing keys under load', defaultValue: '3', short: '1' },
    licences: { about: 'licences that are revoked under load', defaultValue: '100', short: '3' },
    tries: {
      about: 'guesses of keys of each kind, with and without the first characters of one',
      defaultValue: '10000',
      short: '30',
    },
    storage: {
      about: 'where packages are: a folder of each registry, or one bucket of both',
      defaultValue: 'folder',
      oneOf: ['folder', 's3'],
    },
    kills: { about: 'kills of the control plane and the registries', defaultValue: '20', short: '4' },
  },
  timeLimit: ({ short }) => (short ? 240 : 3600),
  async run(stage) {
    const storage = stage.word('storage') as 'folder' | 's3';
    const vendor = await startVendor(stage, {}, { storage });
    const parts: Record<string, (number: number) => Promise<Findings>> = {
      pulls: (pulls) => pullWithoutControlPlane(stage, vendor, { pulls }),
      npm: (installs) => installWithoutControlPlane(stage, vendor, { installs }),
      rotations: (rotations) => rotateUnderLoad(stage, vendor, { rotations }),
      licences: (licences) => revokeUnderLoad(stage, vendor, { licences }),
      tries: (tries) => timeGuesses(stage, vendor, { tries }),
      kills: (kills) => killUnderLoad(stage, vendor, { kills }),
    };
    const findings: Findings = { broken: [], counts: {} };
    for (const [option, part] of Object.entries(parts)) {
      const number = stage.number(option);
      if (number === 0) continue;
      const { broken, counts } = await part(number);
      findings.broken.push(...broken);
      Object.assign(findings.counts, counts);
    }
    findings.broken.push(...(await secretsInLogs(stage, vendor)));
    return findings;
  },
};

/** Names the logs that contain a secret of the vendor, a key or a token. */
async function secretsInLogs({ folder }: Stage, { secrets, issued }: Vendor): Promise<string[]> {
  const found = new Set<string>();
  const values = [...Object.values(secrets), ...issued];
  const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  for (const name of logs) {
    const log = await readFile(join(folder, name), 'utf8');
    if (values.some((value) => log.includes(value))) found.add(`${name} contains a secret`);
  }
  if (logs.length === 0) throw new Error('there are no logs');
  return [...found];
}
