/**
 * What the run of the tests and its workers tell each other.
 */

/** The next file to run, from the root of the project; null for none. */
export interface ToWorker {
  file: string | null;
}

/** A file has ended. */
export interface FromWorker {
  file: string;
  /** Of the worker, and of the processes that the file started and waited for. */
  cpuSeconds: number;
  wallSeconds: number;
  /** Bytes of the worker's resident memory. */
  memory: number;
  /** Servers and processes that the file has left open. */
  open: string[];
}
