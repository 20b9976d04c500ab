/**
 * The command line of `stop`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { runCommand } from '../support/run-command.ts';
import { stop } from './stop.ts';

interface Options {
  dir: string;
  json?: boolean;
  timeout?: number;
  force?: boolean;
}

/** Runs `stop` and sets the exit status. */
export async function runStop(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const result = await stop({ dir: options.dir, timeoutSeconds: options.timeout, force: options.force }, output);
    output.result(result, [
      result.stopped ? 'The box has stopped.' : 'The box was not running.',
      ...(result.databasePid ? ['The PostgreSQL that a killed box had left running is stopped too.'] : []),
    ]);
    return 0;
  });
}
