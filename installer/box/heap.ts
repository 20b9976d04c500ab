/**
 * How much memory the box's JavaScript may take. Left to itself the engine (V8) plans for the machine as if it were
 * alone on it: it lets garbage lie until tens of MiB of it are there, and its heap grow to gigabytes.
 */
import { totalmem } from 'node:os';

const mebibyte = 2 ** 20;

/**
 * MiB of one half of the space in which objects are made. What a request makes is garbage when it has been answered: a
 * larger space keeps more of it, and is collected less often. Under checkouts a box takes 8 MiB more than with 4, and
 * serves reads with 3% less of the processor; 16, the usual, takes another 13 MiB for less than that.
 */
const youngSpace = 8;

/** MiB of the space of what lives longer: bounds of what a box is given, whatever the machine. */
const oldSpace = { least: 128, most: 1024 };

/**
 * What Node is told of the heap, in `NODE_OPTIONS`: PostgreSQL and the system get three quarters of the machine.
 * @param memory bytes that this machine, or this container, has
 */
export function heapOptions(memory = memoryOfMachine()): string {
  const quarter = Math.floor(memory / mebibyte / 4);
  const old = Math.min(oldSpace.most, Math.max(oldSpace.least, quarter));
  return `--max-semi-space-size=${youngSpace} --max-old-space-size=${old}`;
}

function memoryOfMachine(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
