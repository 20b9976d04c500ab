/**
 * Password hashes at a fraction of the production cost, for boxes in the process of a test. A hash says at which cost
 * it was made, so other processes verify it too. Apart from index.ts, since the engine's helpers import this file.
 */
import { setPasswordCost } from '../passwords/hashes.ts';

/** Makes the hashes of this process quick, for good: a test of the production cost starts a process of its own. */
export function makePasswordsQuick(): void {
  setPasswordCost({ cost: 16, blockSize: 1, parallelism: 1 });
}
