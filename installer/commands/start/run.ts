/**
 * The command line of `start`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { survivesItsOutput } from '../../supervisor/lost-output.ts';
import { reportToServiceManager } from '../../supervisor/service-manager.ts';
import { abortOnSignals, onSignals, runCommand } from '../support/run-command.ts';
import { type StartResult, start, startInForeground } from './start.ts';

interface Options {
  dir: string;
  json?: boolean;
  foreground?: boolean;
  healthTimeout: number;
  watchdog: number;
  allowUnverified?: boolean;
}

/** Runs `start` and sets the exit status; in the foreground, to the exit status of the box. */
export async function runStart(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const { dir, healthTimeout: healthSeconds, watchdog: watchdogSeconds, allowUnverified } = options;
    const settings = { dir, healthSeconds, watchdogSeconds, allowUnverified, signal: abortOnSignals() };
    if (!options.foreground) {
      const result = await start(settings, output);
      output.result(result, describe(result));
      return 0;
    }
    survivesItsOutput();
    const { ended, stop, ...result } = await startInForeground(settings, output);
    if (result.alreadyRunning) {
      output.result(result, describe(result));
      return 0;
    }
    const serviceManager = reportToServiceManager(process.env);
    if (!settings.signal.aborted) {
      output.info('healthy', `the box is running at ${result.url}`, result);
      serviceManager.ready(`The box is running at ${result.url}`);
    }
    let signals = settings.signal.aborted ? 1 : 0;
    onSignals(() => {
      // The abort signal in `settings` has passed on the first one.
      signals += 1;
      if (signals > 1) stop();
    });
    settings.signal.addEventListener('abort', serviceManager.stopping);
    const exitCode = await ended;
    serviceManager.end();
    output.result({ ...result, ended: true }, [`The box has stopped (exit status ${exitCode}).`], exitCode);
    return exitCode;
  });
}

/** What is shown of a box that runs. */
export function describe(result: StartResult): string[] {
  return [
    result.alreadyRunning ? 'The box is already running.' : 'The box is running.',
    `address   ${result.url}`,
    `API docs  ${result.url}/docs`,
    `process   ${result.pid}`,
  ];
}
