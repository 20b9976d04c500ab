/**
 * Garbage collection settings of V8.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Makes the main thread collect the young generation (scavenge) without helper threads. The young generation is small
 * here (the installer sets its size) and is collected many times a second: on a machine whose processors are also busy
 * with PostgreSQL, waking the helpers takes longer than the work they share, and the main thread waits for them. Node
 * does not allow this flag in `NODE_OPTIONS`.
 */
export function disableParallelScavenge(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
