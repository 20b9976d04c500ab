/**
 * The commands of the group `config`: their options, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import { type CommandDefinition, healthTimeout, replacementCodes } from '../support/definition.ts';

const changeOptions = [
  { flags: '--restart', description: 'restart a running box with the new settings' },
  { flags: '--unchecked', description: 'accept any name and value, also those the installed release does not know' },
  healthTimeout,
];
const changeCodes = ['ok', ...replacementCodes] as const;

const load = () => import('./run.ts');

export const configCommands: readonly CommandDefinition[] = [
  {
    name: 'config list',
    summary: 'show all settings with values, defaults and where they are set; secrets are masked',
    options: [{ flags: '--set', description: 'only those that box.env and box.json set' }],
    examples: [`${vendor} config list`, `${vendor} config list --set`],
    codes: ['ok', 'box_not_healthy', 'not_installed'],
    isDefault: true,
    load: async () => (await load()).runConfigList,
  },
  {
    name: 'config get',
    summary: 'print the value of a setting',
    arguments: [{ name: '<name>', description: 'name of the setting' }],
    options: [{ flags: '--reveal', description: 'print a secret too' }],
    examples: [`${vendor} config get PORT`, `${vendor} config get OPERATOR_SECRET --reveal`],
    codes: ['ok', 'box_not_healthy', 'not_installed'],
    load: async () => (await load()).runConfigGet,
  },
  {
    name: 'config set',
    summary: 'change settings, after the installed release has checked them',
    arguments: [{ name: '<settings...>', description: 'NAME=value, or one NAME whose value comes from elsewhere' }],
    options: [
      {
        flags: '--from-file <path>',
        description: 'file with the value of one setting, - for standard input',
        type: 'file',
      },
      ...changeOptions,
    ],
    examples: [
      `${vendor} config set RATE_LIMIT_LOGIN=60 DRAIN_SECONDS=10`,
      `${vendor} config set SMTP_PASSWORD - < password.txt`,
      `${vendor} config set STRIPE_SECRET_KEY --from-file stripe.txt --restart`,
    ],
    codes: changeCodes,
    load: async () => (await load()).runConfigSet,
  },
  {
    name: 'config unset',
    summary: 'remove settings, so that their defaults apply',
    arguments: [{ name: '<names...>', description: 'names of the settings' }],
    options: changeOptions,
    examples: [`${vendor} config unset DRAIN_SECONDS`],
    codes: changeCodes,
    load: async () => (await load()).runConfigUnset,
  },
  {
    name: 'config check',
    summary: 'check all settings as the box does when it starts',
    examples: [`${vendor} config check`],
    codes: ['ok', 'box_not_healthy', 'not_installed', 'problems_found'],
    load: async () => (await load()).runConfigCheck,
  },
];
