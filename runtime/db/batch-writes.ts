/**
 * Sends the statements of one turn of the event loop in one write to the socket, and prepared statements with one Sync
 * (prepared-query.ts). A write costs more processor time than its content: with one write for each message they were the
 * most expensive part of a request.
 */
import type { Writable } from 'node:stream';
import type { Connection } from './client.ts';

/** A connection with the internals of pg that are used here. */
export interface WritingConnection {
  connection: {
    stream: Pick<Writable, 'write' | 'writable'>;
    _send(message: Buffer): boolean;
    sync(): void;
    /** Whether the Sync of the last statement has not been sent. It is, in front of what is no prepared statement. */
    owesSync?: boolean;
  };
}

/** Makes a connection collect its messages until the code that is ready to run has run. */
export function batchWrites({ connection }: Connection & WritingConnection): void {
  const { stream } = connection;
  let messages: Buffer[] = [];
  const syncIfOwed = () => {
    if (!connection.owesSync) return;
    connection.owesSync = false;
    connection.sync();
  };
  const flush = () => {
    syncIfOwed();
    const batch = messages.length === 1 ? (messages[0] as Buffer) : Buffer.concat(messages);
    messages = [];
    // A socket that was closed meanwhile has ended these statements with its error.
    if (stream.writable) stream.write(batch);
  };
  connection._send = (message) => {
    if (!stream.writable) return false;
    syncIfOwed();
    if (messages.push(message) === 1) process.nextTick(flush);
    return true;
  };
}
