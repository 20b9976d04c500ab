/**
 * `completion`: its arguments, examples and exit codes.
 */

import { vendor } from '../../vendor.ts';
import type { CommandDefinition } from '../support/definition.ts';
import { shells } from './script.ts';

const load = () => import('./run.ts');

export const completionCommand: CommandDefinition = {
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
  load: async () => (await load()).runCompletion,
};
