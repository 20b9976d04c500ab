/**
 * `status`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const statusCommand: CommandDefinition = {
  name: 'status',
  summary: 'show what is installed and whether the box is running and healthy',
  examples: [`${vendor} status`, `${vendor} status --json`],
  codes: ['ok', 'box_not_healthy', 'not_installed', 'not_running'],
  load: async () => (await load()).runStatus,
};
