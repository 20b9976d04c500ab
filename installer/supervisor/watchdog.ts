/**
 * Noticing a box that hangs: its process runs and accepts connections, and does not respond.
 *
 * Every response counts as life, also an error: a box without its database responds with 503, and a restart would not
 * help it. A refused connection is none of this file's business either: the box is stopping, or has exited.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { probe, probeSeconds } from '../box/health.ts';

const pauseMilliseconds = 5000;
const pollMilliseconds = 100;

/** How a box is watched. */
export interface Watch {
  /** How long it may be silent, in seconds; 0 for ever. */
  seconds: number;
  /** Whether nothing more is to be watched, because the process has exited. */
  isOver: () => boolean;
  /** Called at the first health check that succeeds. @returns whether to go on */
  onHealthy: () => boolean | Promise<boolean>;
}

/**
 * Asks a box for its health, often until it is healthy and every few seconds from then on, and resolves when it has not
 * responded for a time: also before it was healthy, since a box accepts connections only when it can respond.
 *
 * The time is counted in requests without a response, not by the clock: a machine that was suspended, or so busy that
 * this process did not run, has not waited for the box.
 * @returns whether the box hangs; false when it is over
 */
export async function waitUntilHung(url: string, { seconds, isOver, onHealthy }: Watch): Promise<boolean> {
  let silentProbes = 0;
  let hasBeenHealthy = false;
  while (!isOver()) {
    const answer = await probe(url);
    silentProbes = answer === 'silent' ? silentProbes + 1 : 0;
    if (!hasBeenHealthy && answer === 200 && !isOver()) {
      hasBeenHealthy = true;
      if (!(await onHealthy())) return false;
    }
    if (seconds > 0 && silentProbes * probeSeconds >= seconds) return !isOver();
    if (silentProbes > 0) continue;
    const pause = hasBeenHealthy ? pauseMilliseconds : pollMilliseconds;
    for (let waited = 0; waited < pause && !isOver(); waited += pollMilliseconds) {
      await sleep(pollMilliseconds, undefined, { ref: false });
    }
  }
  return false;
}
