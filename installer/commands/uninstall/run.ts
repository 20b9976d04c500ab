/**
 * The command line of `uninstall`: asks at a terminal before data is removed, and says what stays.
 */
import { interrupted } from '../../failure.ts';
import { chooseOutput } from '../../output/choose.ts';
import { vendor } from '../../vendor.ts';
import { runCommand } from '../support/run-command.ts';
import { type UninstallResult, uninstall } from './uninstall.ts';

interface Options {
  dir: string;
  json?: boolean;
  data?: boolean;
  yes?: boolean;
}

/** Runs `uninstall` and sets the exit status. */
export async function runUninstall({ dir, json, data, yes }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY && !json;
    const askForConfirmation = isInteractive ? ask : undefined;
    const result = await uninstall({ dir, data, confirmed: yes, askForConfirmation }, output);
    output.result(result, describe(result));
    return 0;
  });
}

async function ask(folder: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const message = `Remove the data in ${folder}? Its orders, files and secrets cannot be brought back.`;
  const answer = await confirm({ message, initialValue: false });
  if (isCancel(answer)) throw interrupted('Nothing was changed');
  return answer;
}

function describe({ dir, kept }: UninstallResult): string[] {
  if (kept.length === 0) return ['The box and its data are removed.'];
  return [
    'The box is uninstalled.',
    `folder    ${dir} keeps ${kept.join(', ')}`,
    `An install in this folder goes on with them; ${vendor} uninstall --data removes them with the box.`,
  ];
}
