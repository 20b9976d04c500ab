/**
 * `support-bundle`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const supportBundleCommand: CommandDefinition = {
  name: 'support-bundle',
  summary: 'write a file with what the vendor needs to find a fault, without secrets',
  options: [
    { flags: '--output <path>', description: 'file to write (default: in the working folder)', type: 'file' },
    { flags: '--offline', description: 'leave out the checks that need the network' },
  ],
  examples: [`${vendor} support-bundle`, `${vendor} support-bundle --output /tmp/store.tar.gz`],
  codes: ['ok', 'not_installed', 'folder_unusable', 'disk_full', 'interrupted'],
  load: async () => (await load()).runSupportBundle,
};
