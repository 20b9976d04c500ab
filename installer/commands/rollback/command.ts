/**
 * `rollback`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { allowUnverified, type CommandDefinition, healthTimeout } from '../support/definition.ts';

const load = () => import('./run.ts');

export const rollbackCommand: CommandDefinition = {
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
  load: async () => (await load()).runRollback,
};
