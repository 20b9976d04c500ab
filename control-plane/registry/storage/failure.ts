// A storage that fails: the error that clients get, and the log line that says what is wrong and what to look at.

import type { Log } from '../log.ts';
import { Refusal } from '../refusal.ts';
import type { BucketFault } from './bucket-faults.ts';
import type { FolderFault } from './folder-faults.ts';

/** The values of a metric's label. */
export type StorageOperation = 'read' | 'write' | 'open' | 'remove' | 'list';
export type StorageFault = BucketFault | FolderFault;

/** A request to the storage that failed, with what to do about it. */
export class StorageFailure extends Refusal {
  readonly advice: string;

  constructor(advice: string, cause: unknown) {
    super(503, 'storage_unavailable', 'The storage of packages does not respond: try again in a moment');
    this.advice = advice;
    this.cause = cause;
  }
}

/** Milliseconds between two log lines about the same fault. */
const logInterval = 10_000;

/** Returns the function that logs a fault, repetitions left out, and makes the error of it. */
export function createFailures(log: Log) {
  const loggedAt = new Map<StorageFault, number>();
  return ({ fault, advice }: { fault: StorageFault; advice: string }, cause: unknown): StorageFailure => {
    const now = performance.now();
    if (now - (loggedAt.get(fault) ?? Number.NEGATIVE_INFINITY) > logInterval) {
      loggedAt.set(fault, now);
      log('error', 'the storage of packages fails', { fault, advice });
    }
    return new StorageFailure(advice, cause);
  };
}
