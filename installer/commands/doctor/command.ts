/**
 * `doctor`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const doctorCommand: CommandDefinition = {
  name: 'doctor',
  summary: 'say what is wrong with the box, and the command that mends it',
  options: [
    { flags: '--offline', description: 'leave out the checks that need the network' },
    {
      flags: '--backup',
      description: 'prove the last backup: restore its database aside, compare it, and remove it',
    },
    {
      flags: '--passphrase-file <path>',
      description: 'file with the passphrase of the backup (default: that of the schedule)',
      type: 'file',
    },
  ],
  examples: [`${vendor} doctor`, `${vendor} doctor --offline`, `${vendor} doctor --backup`],
  codes: ['ok', 'not_installed', 'problems_found', 'interrupted'],
  load: async () => (await load()).runDoctor,
};
