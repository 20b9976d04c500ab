/**
 * What the run of the tests and its workers tell each other. TAP goes through a channel of its own, so that it is not
 * mixed with what test files write to standard output.
 */

/** The file descriptor of a worker that it writes its TAP to. */
export const tapDescriptor = 4;

/** The next file to run, from the root of the project; null for none. */
export interface ToWorker {
  file: string | null;
  /** What the worker writes to standard output after the file, so that its output ends where the next one's begins. */
  mark: string;
  /** Whether the worker ends at once instead of waiting for what its files have left behind, as that is known to last. */
  atOnce?: boolean;
}

/** A file has ended. */
export interface EndedFile {
  file: string;
  /** Of the worker, and of the processes that the file started and waited for. */
  cpuSeconds: number;
  wallSeconds: number;
  /** Bytes of the worker's resident memory. */
  memory: number;
  /** What the file has left open. */
  open: string[];
  /** What it has set as the exit code of its process. */
  exitCode?: string;
}

/** A failure that belongs to no test that runs, as its test has ended. */
export interface OrphanedFailure {
  name: string;
  stack: string;
  /** The file that it comes from, where that is known. */
  file: string | null;
}

/** The process exits, by what this file does if it is known. */
export interface Exiting {
  file: string | null;
}

export interface FromWorker {
  ended?: EndedFile;
  orphaned?: OrphanedFailure;
  exiting?: Exiting;
  /** What keeps the process alive for too long after the last file. */
  stuck?: string;
  /** There is nothing left to wait for, after the last file. */
  done?: true;
}
