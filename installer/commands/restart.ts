/**
 * `restart`: stops the box after requests in flight have finished, and starts it again with the settings on disk.
 */
import type { Output } from '../output/output.ts';
import { type StartOptions, type StartResult, start } from './start.ts';
import { stop } from './stop.ts';

/** @throws Failure like `stop` and `start`; if the box does not stop, it is not started */
export async function restart(options: StartOptions, output: Output): Promise<StartResult> {
  const { stopped, pid } = await stop({ dir: options.dir }, output);
  if (stopped) output.info('stopped', `the box (process ${pid}) has stopped`, { pid });
  return start(options, output);
}
