/**
 * What the box and its compute processes tell each other.
 */

/** To a compute process: one task at a time. */
export interface ToProcess {
  /** URL of a module, whose default export is a function. */
  module: string;
  input: unknown;
}

/** From a compute process. */
export type FromProcess =
  /** It waits for a task. */
  | { kind: 'ready' }
  /** The module of the task is loaded, and the function is called. */
  | { kind: 'begun' }
  | { kind: 'done'; output: unknown }
  /** The function threw an error. */
  | { kind: 'failed'; message: string; stack: string | undefined };
