/**
 * The command line of `restart`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { describe } from '../start/run.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { restart } from './restart.ts';

interface Options {
  dir: string;
  json?: boolean;
  healthTimeout: number;
}

/** Runs `restart` and sets the exit status. */
export async function runRestart(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const settings = { dir: options.dir, healthSeconds: options.healthTimeout, signal: abortOnSignals() };
    const result = await restart(settings, output);
    output.result(result, describe(result));
    return 0;
  });
}
