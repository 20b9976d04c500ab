/**
 * The program of the supervisor of a box in the background (background.ts).
 */
import { asFailure } from '../failure.ts';
import { jsonOutput } from '../output/json.ts';
import { readSupervisorInput } from './background.ts';
import { rotateWhenLong } from './log-rotation.ts';
import { supervise } from './supervision.ts';

const watchdogSeconds = 30;

/** Runs until the box has ended; its exit status is that of the box. */
export async function runSupervisor(): Promise<void> {
  const output = jsonOutput();
  try {
    const { folder, launch } = await readSupervisorInput();
    const supervised = await supervise(folder, launch, output, { watchdogSeconds, background: true });
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => supervised.stop());
    const endRotation = rotateWhenLong(folder.log);
    process.exitCode = await supervised.ended;
    endRotation();
  } catch (error) {
    const { message, exitCode } = asFailure(error);
    process.stderr.write(`${message}\n`);
    process.exitCode = exitCode;
  }
}
