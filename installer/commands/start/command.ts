/**
 * `start`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { allowUnverified, type CommandDefinition, healthTimeout } from '../support/definition.ts';

const load = () => import('./run.ts');

export const startCommand: CommandDefinition = {
  name: 'start',
  summary: 'start the box and wait until it is healthy',
  options: [
    {
      flags: '--foreground',
      description: 'run the box in the foreground: print its output, restart it after a crash, exit when it is stopped',
    },
    healthTimeout,
    allowUnverified,
    {
      flags: '--watchdog <seconds>',
      description: 'restart a box in the foreground that has not responded for so long; 0 for never',
      type: 'seconds',
      default: 30,
    },
  ],
  examples: [`${vendor} start`, `${vendor} start --foreground   # for systemd and containers`],
  codes: [
    'ok',
    'disk_full',
    'port_taken',
    'box_not_healthy',
    'busy',
    'not_installed',
    'folder_unusable',
    'unverified',
    'interrupted',
  ],
  load: async () => (await load()).runStart,
};
