/**
 * Statements that a connection is given in one turn of the event loop leave it in one write to its socket: a write costs
 * the processor more than what it carries, and with one for each statement they were the most costly part of a request.
 */
import type { Writable } from 'node:stream';
import type { Connection } from './client.ts';

/** What pg holds below a connection's own face. */
export interface WritingConnection {
  connection: { stream: Pick<Writable, 'cork' | 'uncork'> };
}

/** Makes a connection hold back what it is given until everything that is ready to run has run. */
export function batchWrites(connection: Connection & WritingConnection): void {
  const { stream } = connection.connection;
  const send = connection.query as (...given: unknown[]) => unknown;
  let isHeld = false;
  const release = () => {
    isHeld = false;
    stream.uncork();
  };
  connection.query = function query(this: Connection, ...given: unknown[]) {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(release);
    }
    return send.apply(this, given);
  } as Connection['query'];
}
