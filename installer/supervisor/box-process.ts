/**
 * Messages and signals of a supervisor to one process of a box.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BoxProcess } from '../box/launch.ts';
import type { Output } from '../output/output.ts';
import { exitOf, statusOf } from './exit-status.ts';

/** How long a process may take to answer or to exit. */
export const stopMilliseconds = 20_000;

/** Tells a process to serve, and waits until it does. */
export function beginsToServe({ child }: BoxProcess): Promise<'serving' | 'exited' | 'silent'> {
  const serving = new Promise<'serving'>((resolve) => {
    child.on('message', (message) => message === 'serving' && resolve('serving'));
  });
  child.send('serve', () => undefined);
  const silent = sleep(stopMilliseconds, 'silent' as const, { ref: false });
  return Promise.race([serving, exitOf(child).then(() => 'exited' as const), silent]);
}

/** Stops a process, and kills it if that takes too long. */
export async function endProcess({ child }: BoxProcess, output: Output): Promise<void> {
  if (statusOf(child) !== undefined) return;
  child.kill('SIGTERM');
  const isOver = exitOf(child).then(() => true);
  if (await Promise.race([isOver, sleep(stopMilliseconds, false, { ref: false })])) return;
  output.warn(`process ${child.pid} has not stopped within ${stopMilliseconds / 1000} s; killing it`);
  child.kill('SIGKILL');
  await isOver;
}
