/**
 * `logs`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const logsCommand: CommandDefinition = {
  name: 'logs',
  summary: 'print the last lines of the box’s log',
  options: [
    {
      flags: '-n, --lines <number>',
      description: 'how many of the last lines to print',
      type: 'wholeNumber',
      default: 100,
    },
    { flags: '-f, --follow', description: 'go on with new lines until Ctrl-C' },
  ],
  examples: [`${vendor} logs --lines 20`, `${vendor} logs --follow`],
  codes: ['ok', 'not_installed'],
  load: async () => (await load()).runLogs,
};
