/**
 * Sends the statements of one turn of the event loop in one write to the socket. A write costs more processor time than
 * its content: with one write for each statement they were the most expensive part of a request.
 */
import type { Writable } from 'node:stream';
import type { Connection } from './client.ts';

/** A connection with the internals of pg that are used here. */
export interface WritingConnection {
  connection: { stream: Pick<Writable, 'cork' | 'uncork'> };
}

/** Makes a connection buffer its statements until the code that is ready to run has run. */
export function batchWrites(connection: Connection & WritingConnection): void {
  const { stream } = connection.connection;
  const send = connection.query as (...parameters: unknown[]) => unknown;
  let isCorked = false;
  const uncork = () => {
    isCorked = false;
    stream.uncork();
  };
  connection.query = function query(this: Connection, ...parameters: unknown[]) {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(uncork);
    }
    return send.apply(this, parameters);
  } as Connection['query'];
}
