/**
 * `uninstall`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const uninstallCommand: CommandDefinition = {
  name: 'uninstall',
  summary: 'stop the box and remove its program; its data and secrets stay',
  options: [
    { flags: '--data', description: 'remove the embedded database, files, secrets and logs too' },
    { flags: '--yes', description: 'do not ask before the removal of data' },
  ],
  examples: [`${vendor} uninstall`, `${vendor} uninstall --data          # asks first`],
  codes: ['ok', 'busy', 'not_installed', 'did_not_stop', 'folder_unusable', 'interrupted'],
  load: async () => (await load()).runUninstall,
};
