// What of an answer's body has gone out. Verdaccio streams tarballs and says neither.

import type { ServerResponse } from 'node:http';

/**
 * Counts the bytes of a body as they are written, and gives `write` its answer back: Verdaccio's request log wraps
 * `write` and swallows what it returns, so a stream piped into the answer would never pause and a slow client would
 * hold a whole tarball in memory. Call it before the body begins; the function returned says how many bytes went out.
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
 * Whether a whole body went out, asked once the answer is closed. A client that has all the bytes it was promised may
 * hang up before the server has seen its own stream end, so the bytes count, not who was first.
 */
export function isWhole(response: ServerResponse, bytes: number): boolean {
  return response.writableFinished || bytes === Number(response.getHeader('Content-Length') ?? Number.NaN);
}
