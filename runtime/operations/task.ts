/**
 * A piece of work in the background, as it is told to metrics and traces.
 */

/** A piece of the worker's work: an attempt to deliver an event, or a run of a job. */
export interface BackgroundTask {
  /** `payment.reconcile`: of the subscriber or the job. */
  name: string;
  delivery?: { deliveryId: string; eventId: string; type: string; attempt: number };
}

/** Runs a piece of work, and throws what it throws. */
export type RunTask = <T>(task: BackgroundTask, run: () => Promise<T>) => Promise<T>;
