/**
 * Commands about the licence, versions and addresses of a box, and about the command itself.
 */
import { vendor } from '../vendor.ts';
import { shells } from './completion.ts';
import { type CommandDefinition, controlPlaneCodes } from './definition.ts';

const license = () => import('../commands/run-license.ts');
const version = () => import('../commands/run-version.ts');
const licenseCodes = ['ok', ...controlPlaneCodes, 'not_installed', 'interrupted'] as const;

export const informationCommands: readonly CommandDefinition[] = [
  {
    name: 'license show',
    summary: 'show the state, tier, channel and packages of the licence',
    examples: [`${vendor} license`],
    codes: licenseCodes,
    isDefault: true,
    load: async () => (await license()).runLicenseShow,
  },
  {
    name: 'license replace',
    summary: 'give the box another licence key, once the control plane has accepted it',
    options: [
      { flags: '--key-file <path>', description: 'file with the licence key, - for standard input', type: 'file' },
    ],
    examples: [`${vendor} license replace --key-file licence.txt`],
    codes: [...licenseCodes, 'busy', 'folder_unusable', 'disk_full'],
    load: async () => (await license()).runLicenseReplace,
  },
  {
    name: 'open',
    summary: 'print the addresses of the box, and open one if there is a display',
    arguments: [
      { name: '[page]', description: 'what to open: box by default', choices: ['box', 'docs', 'admin', 'public'] },
    ],
    options: [{ flags: '--print', description: 'only print them' }],
    examples: [`${vendor} open`, `${vendor} open docs`],
    codes: ['ok', 'not_installed'],
    load: async () => (await version()).runOpen,
  },
  {
    name: 'version',
    summary: 'print the versions of the command, the installed and the running release',
    options: [{ flags: '--check', description: 'ask the control plane for a newer release' }],
    examples: [`${vendor} version`, `${vendor} version --check`],
    codes: ['ok', 'control_plane_unavailable', 'interrupted'],
    load: async () => (await version()).runVersion,
  },
  {
    name: 'completion',
    summary: 'print the script that completes command lines in a shell',
    arguments: [{ name: '<shell>', description: 'the shell', choices: shells }],
    examples: [
      `${vendor} completion bash > ~/.local/share/bash-completion/completions/${vendor}`,
      `${vendor} completion zsh > "\${fpath[1]}/_${vendor}"`,
      `${vendor} completion fish > ~/.config/fish/completions/${vendor}.fish`,
    ],
    codes: ['ok'],
    withoutBox: true,
    load: async () => (await import('./run-completion.ts')).runCompletion,
  },
];
