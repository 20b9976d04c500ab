/**
 * The command line of `support-bundle`: says what the file holds, and where it is.
 */
import { chooseOutput } from '../../output/choose.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { type SupportBundleResult, supportBundle } from './bundle.ts';

interface Options {
  dir: string;
  json?: boolean;
  output?: string;
  offline?: boolean;
}

/** Runs `support-bundle` and sets the exit status. */
export async function runSupportBundle({ dir, json, output: path, offline }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const result = await supportBundle({ dir, output: path, offline, signal: abortOnSignals() });
    for (const { path: part, reason } of result.missing) output.warn(`without ${part}: ${reason}`);
    output.result(result, describe(result));
    return 0;
  });
}

function describe({ path, bytes, files }: SupportBundleResult): string[] {
  const width = Math.max(...files.map((file) => file.path.length));
  return [
    ...files.map((file) => `${file.path.padEnd(width)}  ${String(file.bytes).padStart(9)} bytes`),
    '',
    `${path} (${bytes} bytes, readable by you alone)`,
    'Secrets, e-mail addresses, IP addresses and query strings are removed. Look through it before you send it:',
    `tar -xzf ${path}`,
  ];
}
