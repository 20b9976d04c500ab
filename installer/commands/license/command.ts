/**
 * The commands of the group `license`: their options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { type CommandDefinition, controlPlaneCodes } from '../support/definition.ts';

const codes = ['ok', ...controlPlaneCodes, 'not_installed', 'interrupted'] as const;

const load = () => import('./run.ts');

export const licenseCommands: readonly CommandDefinition[] = [
  {
    name: 'license show',
    summary: 'show the state, tier, channel and packages of the licence',
    examples: [`${vendor} license`],
    codes: codes,
    isDefault: true,
    load: async () => (await load()).runLicenseShow,
  },
  {
    name: 'license replace',
    summary: 'give the box another licence key, once the control plane has accepted it',
    options: [
      { flags: '--key-file <path>', description: 'file with the licence key, - for standard input', type: 'file' },
    ],
    examples: [`${vendor} license replace --key-file licence.txt`],
    codes: [...codes, 'busy', 'folder_unusable', 'disk_full'],
    load: async () => (await load()).runLicenseReplace,
  },
];
