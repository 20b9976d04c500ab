/**
 * `upgrade`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import {
  type CommandDefinition,
  healthTimeout,
  type OptionDefinition,
  pullCodes,
  replacementCodes,
} from '../support/definition.ts';

/** Which release, for the commands that pull one. */
export const which: readonly OptionDefinition[] = [
  { flags: '--version <release>', description: 'version of the release; the box then stays at it' },
  { flags: '--channel <channel>', description: 'channel to follow in place of the licence’s' },
  { flags: '--unpin', description: 'follow the newest release of the licence’s channel again' },
  { flags: '--allow-yanked', description: 'install versions that the vendor has yanked' },
];

const load = () => import('./run.ts');

export const upgradeCommand: CommandDefinition = {
  name: 'upgrade',
  summary: 'upgrade the box to a release, with a backup before migrations',
  options: [
    ...which,
    { flags: '--no-start', description: 'install the packages without starting the box' },
    { flags: '--own-backup', description: 'you have a backup of your own database (DATABASE_URL): take none' },
    healthTimeout,
  ],
  examples: [`${vendor} upgrade`, `${vendor} upgrade --version 0.3.1`, `${vendor} upgrade --unpin`],
  codes: ['ok', ...pullCodes, ...replacementCodes, 'yanked', 'unverified'],
  load: async () => (await load()).runUpgrade,
};
