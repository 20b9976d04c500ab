/**
 * How many processes of a box serve requests.
 */
import { availableParallelism } from 'node:os';
import type { Launch } from '../box/environment.ts';
import type { BoxFolder } from '../box/folder.ts';
import { memoryOfMachine } from '../box/heap.ts';
import { supportsWorkers } from '../box/launch.ts';

const memoryOfWorker = 256 * 2 ** 20;
/** As the engine declares it (runtime/config.ts). */
const maximum = 64;

/** Returns the number of workers of a launch: 1 for a release that does not support several. */
export async function workerCount(folder: BoxFolder, { release, secrets }: Launch): Promise<number> {
  if (!(await supportsWorkers(folder, release))) return 1;
  const { WORKERS, DATABASE_POOL_SIZE } = secrets;
  // The box itself refuses an invalid setting.
  if (WORKERS) return Math.min(maximum, Math.max(1, Math.floor(Number(WORKERS)) || 1));
  // Each worker needs a connection.
  return Math.min(defaultWorkers(), Number(DATABASE_POOL_SIZE) || maximum);
}

/**
 * One worker for each core that this process may use, at most one for each 256 MiB of memory.
 * @param memory of this machine or container, in bytes
 */
export function defaultWorkers(cores = availableParallelism(), memory = memoryOfMachine()): number {
  return Math.max(1, Math.min(cores, Math.floor(memory / memoryOfWorker), maximum));
}
