/**
 * A task of the worker, as metrics and traces describe it.
 */

/** An attempt to deliver an event, or a run of a job. */
export interface BackgroundTask {
  /** The name of the subscriber or job: `payment.reconcile`. */
  name: string;
  delivery?: { deliveryId: string; eventId: string; type: string; attempt: number };
}

/** Runs a task and passes its result or error on. */
export type RunTask = <T>(task: BackgroundTask, run: () => Promise<T>) => Promise<T>;
