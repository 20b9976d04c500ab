/**
 * The program of the supervisor of a box in the background (box/background.ts).
 */
import { readSupervisorInput } from '../box/background.ts';
import { rotateWhenLong } from '../box/log-rotation.ts';
import { asFailure } from '../failure.ts';
import { jsonOutput } from '../output/json.ts';
import { survivesItsOutput } from './lost-output.ts';
import { type SupervisedBox, supervise } from './supervision.ts';

const watchdogSeconds = 30;

/** Runs until the box has ended; its exit status is that of the box. */
export async function runSupervisor(): Promise<void> {
  survivesItsOutput();
  const output = jsonOutput();
  let supervised: SupervisedBox | undefined;
  let early = 0;
  const stop = () => {
    if (supervised) supervised.stop();
    else early += 1;
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop);
  try {
    const { folder, launch } = await readSupervisorInput();
    supervised = await supervise(folder, launch, output, { watchdogSeconds, background: true });
    if (early > 0) supervised.stop();
    const endRotation = rotateWhenLong(folder.log);
    process.exitCode = await supervised.ended;
    endRotation();
  } catch (error) {
    const { message, exitCode } = asFailure(error);
    process.stderr.write(`${message}\n`);
    process.exitCode = exitCode;
  }
}
