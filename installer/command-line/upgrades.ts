/**
 * The commands that plan, make and undo upgrades.
 */
import { vendor } from '../vendor.ts';
import {
  allowUnverified,
  type CommandDefinition,
  healthTimeout,
  type OptionDefinition,
  pullCodes,
} from './definition.ts';

const which: readonly OptionDefinition[] = [
  { flags: '--version <release>', description: 'version of the release; the box then stays at it' },
  { flags: '--channel <channel>', description: 'channel to follow in place of the licence’s' },
  { flags: '--unpin', description: 'follow the newest release of the licence’s channel again' },
  { flags: '--allow-yanked', description: 'install versions that the vendor has yanked' },
];

export const upgradeCommands: readonly CommandDefinition[] = [
  {
    name: 'plan',
    summary: 'say what an upgrade would do, and change nothing',
    options: [
      ...which,
      {
        flags: '--key-file <path>',
        description: 'plan with another licence key, such as one of another tier',
        type: 'file',
      },
    ],
    examples: [`${vendor} plan`, `${vendor} plan --version 0.3.1`, `${vendor} plan --key-file growth.txt`],
    codes: ['ok', ...pullCodes, 'not_installed', 'yanked', 'interrupted'],
    load: async () => (await import('../commands/run-plan.ts')).runPlan,
  },
  {
    name: 'upgrade',
    summary: 'upgrade the box to a release, with a backup before migrations',
    options: [
      ...which,
      { flags: '--no-start', description: 'install the packages without starting the box' },
      { flags: '--own-backup', description: 'you have a backup of your own database (DATABASE_URL): take none' },
      healthTimeout,
    ],
    examples: [`${vendor} upgrade`, `${vendor} upgrade --version 0.3.1`, `${vendor} upgrade --unpin`],
    codes: [
      'ok',
      ...pullCodes,
      'disk_full',
      'port_taken',
      'box_not_healthy',
      'busy',
      'not_installed',
      'did_not_stop',
      'folder_unusable',
      'yanked',
      'taken_back',
      'unverified',
      'interrupted',
    ],
    load: async () => (await import('../commands/run-upgrade.ts')).runUpgrade,
  },
  {
    name: 'rollback',
    summary: 'go back to the former release',
    options: [
      { flags: '--with-data', description: 'also restore the backup taken before the upgrade' },
      { flags: '--accept-loss', description: 'lose what was written since that backup' },
      allowUnverified,
      { flags: '--no-start', description: 'do not start the box' },
      healthTimeout,
    ],
    examples: [
      `${vendor} rollback                     # keeps all data, if the migrations allow it`,
      `${vendor} rollback --with-data         # says what would be lost`,
      `${vendor} rollback --with-data --accept-loss`,
    ],
    codes: [
      'ok',
      'integrity_failed',
      'disk_full',
      'port_taken',
      'box_not_healthy',
      'busy',
      'not_installed',
      'not_running',
      'did_not_stop',
      'folder_unusable',
      'taken_back',
      'would_lose_data',
      'no_former_release',
      'unverified',
      'interrupted',
    ],
    load: async () => (await import('../commands/run-rollback.ts')).runRollback,
  },
];
