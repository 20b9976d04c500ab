/**
 * How the engine (V8) collects what a request leaves behind.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Has new objects collected by the thread that runs JavaScript, without helpers. The space of new objects is small here
 * (the installer says how small), and is collected many times a second: waking helpers, on a machine whose processors
 * PostgreSQL keeps busy as well, takes longer than the work they would share, and the thread waits for them. Node refuses
 * this flag in `NODE_OPTIONS`.
 */
export function collectWithoutHelpers(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
