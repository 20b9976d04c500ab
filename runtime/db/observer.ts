/**
 * Observing a connection pool: how long work waits for a connection, and how long each statement takes. Statements are
 * timed at the connection, so that none is missed.
 */
import type { Connection } from './client.ts';

/** Times are on the clock of `performance.now()`. */
export interface DatabaseObserver {
  /** A wait for a connection has ended, with a connection or without. */
  waited(began: number, ended: number): void;
  /**
   * A statement is sent. The function returned is called once when the statement ends, with the error if it failed.
   * @param waited milliseconds that the surrounding work waited for its connection
   */
  statement(text: string, waited: number): (error?: unknown) => void;
}

type Callback = (error: unknown, result: unknown) => void;

/** Makes a connection report each of its statements. */
export function observeStatements(connection: Connection, observer: DatabaseObserver): void {
  const send = connection.query as (...parameters: unknown[]) => unknown;
  connection.query = function query(this: Connection, ...parameters: unknown[]) {
    const [config] = parameters as [string | { text?: string }];
    const text = typeof config === 'string' ? config : config.text;
    // A Submittable of pg (a cursor, a copy) is not one statement.
    if (text === undefined) return send.apply(this, parameters);
    const done = observer.statement(text, this.waited ?? 0);
    const callback = parameters.at(-1);
    if (typeof callback === 'function') {
      const observed: Callback = (error, result) => {
        done(error ?? undefined);
        (callback as Callback)(error, result);
      };
      return send.call(this, ...parameters.slice(0, -1), observed);
    }
    const result = send.apply(this, parameters) as Promise<unknown>;
    result.then(() => done(), done);
    return result;
  } as Connection['query'];
}
