/**
 * `version`: its options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';

const load = () => import('./run.ts');

export const versionCommand: CommandDefinition = {
  name: 'version',
  summary: 'print the versions of the command, the installed and the running release',
  options: [{ flags: '--check', description: 'ask the control plane for a newer release' }],
  examples: [`${vendor} version`, `${vendor} version --check`],
  codes: ['ok', 'control_plane_unavailable', 'interrupted'],
  load: async () => (await load()).runVersion,
};
