/**
 * `open`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const openCommand: CommandDefinition = {
  name: 'open',
  summary: 'print the addresses of the box, and open one if there is a display',
  arguments: [
    { name: '[page]', description: 'what to open: box by default', choices: ['box', 'docs', 'admin', 'public'] },
  ],
  options: [{ flags: '--print', description: 'only print them' }],
  examples: [`${vendor} open`, `${vendor} open docs`],
  codes: ['ok', 'not_installed'],
  load: async () => (await load()).runOpen,
};
