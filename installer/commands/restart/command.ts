/**
 * `restart`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { type CommandDefinition, healthTimeout, replacementCodes } from '../support/definition.ts';

const load = () => import('./run.ts');

export const restartCommand: CommandDefinition = {
  name: 'restart',
  summary: 'replace the box by one with the settings on disk, without a gap',
  options: [healthTimeout],
  examples: [`${vendor} restart                      # after a change of box.env`],
  codes: ['ok', ...replacementCodes, 'unverified'],
  load: async () => (await load()).runRestart,
};
