/**
 * `stop`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const stopCommand: CommandDefinition = {
  name: 'stop',
  summary: 'stop the box after requests in flight have finished',
  options: [
    {
      flags: '--timeout <seconds>',
      description: 'how long to wait (default: 30 plus DRAIN_SECONDS of box.env)',
      type: 'seconds',
    },
    { flags: '--force', description: 'kill the box if it has not stopped by then' },
  ],
  examples: [`${vendor} stop`, `${vendor} stop --timeout 5 --force`],
  codes: ['ok', 'busy', 'not_installed', 'did_not_stop'],
  load: async () => (await load()).runStop,
};
