/**
 * Telling what a pool's connections do, to whoever measures: how long work waited for one, and each statement with its
 * time. Statements are timed at the connection, so that none is missed, whoever sends it.
 */
import type { Connection } from './client.ts';

/** Times are on the clock of `performance.now()`. */
export interface DatabaseObserver {
  /** Work has got the connection it waited for, or none. */
  waited(began: number, ended: number): void;
  /**
   * A statement is sent. What is answered is called once when it is done, with the error if it failed.
   * @param waited milliseconds that the work it is part of waited for its connection
   */
  statement(text: string, waited: number): (error?: unknown) => void;
}

type Callback = (error: unknown, result: unknown) => void;

/** Makes a connection tell of each of its statements. */
export function observeStatements(connection: Connection, observer: DatabaseObserver): void {
  const send = connection.query as (...given: unknown[]) => unknown;
  connection.query = function query(this: Connection, ...given: unknown[]) {
    const [config] = given as [string | { text?: string }];
    const text = typeof config === 'string' ? config : config.text;
    // What sends itself (a cursor, a copy) is no single statement.
    if (text === undefined) return send.apply(this, given);
    const done = observer.statement(text, this.waited ?? 0);
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      const told: Callback = (error, result) => {
        done(error ?? undefined);
        (callback as Callback)(error, result);
      };
      return send.call(this, ...given.slice(0, -1), told);
    }
    const answer = send.apply(this, given) as Promise<unknown>;
    answer.then(() => done(), done);
    return answer;
  } as Connection['query'];
}
