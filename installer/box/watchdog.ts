/**
 * Noticing a box that hangs: its process runs and accepts connections, and does not respond.
 *
 * Every response counts as life, also an error: a box without its database responds with 503, and a restart would not
 * help it. A refused connection is none of this file's business either: the box is stopping, or has exited.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { probe, probeSeconds } from './health.ts';

const pauseMilliseconds = 5000;
const pollMilliseconds = 100;

/**
 * Asks a box for its health every few seconds, and resolves when it has not responded for a time.
 *
 * The time is counted in requests without a response, not by the clock: a machine that was suspended, or so busy that
 * this process did not run, has not waited for the box.
 * @param seconds how long a box may be silent; 0 for ever
 * @param isOver whether nothing more is to be watched, because the process has exited
 * @returns whether the box hangs; false when it is over
 */
export async function waitUntilHung(url: string, seconds: number, isOver: () => boolean): Promise<boolean> {
  if (seconds === 0) return false;
  let silentProbes = 0;
  while (!isOver()) {
    silentProbes = (await probe(url)) === 'silent' ? silentProbes + 1 : 0;
    if (silentProbes * probeSeconds >= seconds) return !isOver();
    if (silentProbes > 0) continue;
    for (let waited = 0; waited < pauseMilliseconds && !isOver(); waited += pollMilliseconds) {
      await sleep(pollMilliseconds, undefined, { ref: false });
    }
  }
  return false;
}
