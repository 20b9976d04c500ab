/**
 * Licences and the gated registry as processes: pulls without a control plane, rotated keys, revoked licences, guesses,
 * and kills under load.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timeGuesses } from './registry/guesses.ts';
import { killUnderLoad } from './registry/kills.ts';
import { pullWithoutControlPlane } from './registry/outage.ts';
import { revokeUnderLoad } from './registry/revocation.ts';
import { rotateUnderLoad } from './registry/rotation.ts';
import { startVendor, type Vendor } from './registry/vendor.ts';
import type { Findings, Rig, Stage } from './rig.ts';

export const rig: Rig = {
  about:
    'A control plane and two registries under load, while keys are rotated, licences revoked, and processes killed.',
  options: {
    pulls: { about: 'pulls of all packages at once, without a control plane', defaultValue: '200', short: '5' },
    rotations: { about: 'rotations of the signing keys under load', defaultValue: '3', short: '1' },
    licences: { about: 'licences that are revoked under load', defaultValue: '100', short: '3' },
    tries: {
      about: 'guesses of keys of each kind, with and without the first characters of one',
      defaultValue: '10000',
      short: '30',
    },
    kills: { about: 'kills of the control plane and the registries', defaultValue: '20', short: '4' },
  },
  timeLimit: ({ short }) => (short ? 240 : 1800),
  async run(stage) {
    const vendor = await startVendor(stage);
    const number = (option: string) => stage.number(option);
    const parts: (() => Promise<Findings>)[] = [
      () => pullWithoutControlPlane(stage, vendor, { pulls: number('pulls') }),
      () => rotateUnderLoad(stage, vendor, { rotations: number('rotations') }),
      () => revokeUnderLoad(stage, vendor, { licences: number('licences') }),
      () => timeGuesses(stage, vendor, { tries: number('tries') }),
      () => killUnderLoad(stage, vendor, { kills: number('kills') }),
    ];
    const findings: Findings = { broken: [], counts: {} };
    for (const part of parts) {
      const { broken, counts } = await part();
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
