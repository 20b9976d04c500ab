// Measures how much of a response body was sent, which Verdaccio does not report.

import type { ServerResponse } from 'node:http';

/**
 * Counts the bytes of a body as they are written; the returned function reads the counter. Call it before the body
 * starts. It also restores the return value of `write`, which Verdaccio's request log discards: without it, a stream
 * piped into the response would never pause, and a slow client would keep an entire tarball in memory.
 */
export function watchBody(response: ServerResponse): () => number {
  let bytes = 0;
  const { write, end } = response as unknown as Record<'write' | 'end', (...values: unknown[]) => unknown>;
  const count = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) bytes += Buffer.byteLength(chunk);
  };
  response.write = (...values: unknown[]) => {
    count(values[0]);
    write.apply(response, values);
    return !response.writableNeedDrain;
  };
  response.end = (...values: unknown[]) => {
    count(values[0]);
    end.apply(response, values);
    return response;
  };
  return () => bytes;
}

/**
 * Returns whether a closed response was sent completely. A client that has received `Content-Length` bytes may close the
 * connection before the server's stream has finished, so the number of bytes decides.
 */
export function isComplete(response: ServerResponse, bytes: number): boolean {
  return response.writableFinished || bytes === Number(response.getHeader('Content-Length') ?? Number.NaN);
}
