/**
 * The command line of `start`.
 */
import { chooseOutput } from '../output/choose.ts';
import { abortOnSignals, onSignals, runCommand } from './common.ts';
import { type StartResult, start, startInForeground } from './start.ts';

interface Options {
  dir: string;
  json?: boolean;
  foreground?: boolean;
  healthTimeout: number;
}

/** Runs `start` and sets the exit status; in the foreground, the box's own. */
export async function runStart(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const settings = { dir: options.dir, healthSeconds: options.healthTimeout, signal: abortOnSignals() };
    if (!options.foreground) {
      const result = await start(settings, output);
      output.result(result, describe(result));
      return 0;
    }
    const { ended, stop, ...result } = await startInForeground(settings, output);
    if (result.alreadyRunning) {
      output.result(result, describe(result));
      return 0;
    }
    if (!settings.signal.aborted) output.info('healthy', `the box answers at ${result.url}`, result);
    let asked = settings.signal.aborted ? 1 : 0;
    onSignals(() => {
      // The first has been passed on by the settings' signal.
      asked += 1;
      if (asked > 1) stop();
    });
    const exitCode = await ended;
    output.result({ ...result, ended: true }, [`The box has ended (exit status ${exitCode}).`], exitCode);
    return exitCode;
  });
}

function describe(result: StartResult): string[] {
  return [
    result.alreadyRunning ? 'The box is running already.' : 'The box is running.',
    `address   ${result.url}`,
    `documents ${result.url}/docs`,
    `process   ${result.pid}`,
  ];
}
