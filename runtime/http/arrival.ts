/**
 * Reads a body chunk by chunk with back-pressure and a minimum rate: each chunk has to arrive in time, and all of them at
 * an average rate. The time that processing a chunk takes does not count.
 */
import type { IncomingMessage } from 'node:http';
import { malformedForm, requestTimeout } from './problems.ts';

/** The minimum average rate: that of a poor mobile connection. */
export const minBytesPerSecond = 16 * 1024;

export interface Arrival {
  /**
   * Resolves when the complete body has been processed. Rejects with request_timeout (408), with malformed_form (400)
   * when the client disconnects, and with any error of `onChunk`.
   */
  readonly ended: Promise<void>;
  /** Discards the rest of the body, so that the response can use the same connection. */
  stop(): void;
}

/**
 * Passes the chunks of a body to `onChunk`, one at a time; the connection is paused while it runs.
 * @param patience milliseconds in which each chunk has to arrive, and by which the body may lag behind the minimum rate
 */
export function receiveChunks(
  request: IncomingMessage,
  patience: number,
  onChunk: (chunk: Buffer) => Promise<void>,
): Arrival {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let waited = 0;
  let received = 0;
  let waitStart = 0;
  let timer: NodeJS.Timeout | undefined;

  const wait = () => {
    waitStart = performance.now();
    const remaining = patience + (received * 1000) / minBytesPerSecond - waited;
    timer = setTimeout(onTimeout, Math.max(0, Math.min(patience, remaining)));
    request.resume();
  };
  const onTimeout = () => fail(requestTimeout('The body arrives too slowly.', { headers: { Connection: 'close' } }));
  const onData = (chunk: Buffer) => {
    clearTimeout(timer);
    request.pause();
    waited += performance.now() - waitStart;
    received += chunk.length;
    onChunk(chunk).then(() => !stopped && wait(), fail);
  };
  const onEnd = () => {
    stop();
    resolve();
  };
  const onClose = () => fail(malformedForm('The body ended early.'));
  let stopped = false;
  const stop = () => {
    if (stopped) return;
    stopped = true;
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    request.resume();
  };
  const fail = (error: Error) => {
    stop();
    reject(error);
  };
  // A broken connection also emits `close`.
  request.on('error', () => {});
  request.on('data', onData).once('end', onEnd).once('close', onClose);
  wait();
  return { ended, stop };
}
