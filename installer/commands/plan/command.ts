/**
 * `plan`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { type CommandDefinition, pullCodes } from '../support/definition.ts';
import { which } from '../upgrade/command.ts';

const load = () => import('./run.ts');

export const planCommand: CommandDefinition = {
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
  load: async () => (await load()).runPlan,
};
