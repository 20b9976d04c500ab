/**
 * A body as it arrives, for those who take it piece by piece: each piece has to come in time, and all of them no slower
 * than the slowest connection that is served. The time in which a piece is being taken is not the sender's.
 */
import type { IncomingMessage } from 'node:http';
import { malformedForm, requestTimeout } from './problems.ts';

/** Bytes a second: what a poor mobile connection still brings. */
export const minBytesPerSecond = 16 * 1024;

export interface Arrival {
  /**
   * Resolves when the whole body has been taken. Rejects with request_timeout (408), with malformed_form (400) when the
   * sender is gone, and with whatever the taker throws.
   */
  readonly ended: Promise<void>;
  /** Takes no more: what still comes passes unread, so that the answer goes out over the same connection. */
  stop(): void;
}

/**
 * Gives the pieces of a body to a taker, one at a time; the sender is held back until it has taken the last.
 * @param patience milliseconds in which a piece has to come, and which the whole may be behind the slowest arrival
 */
export function receiveChunks(
  request: IncomingMessage,
  patience: number,
  take: (piece: Buffer) => Promise<void>,
): Arrival {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let waited = 0;
  let arrived = 0;
  let began = 0;
  let clock: NodeJS.Timeout | undefined;

  const wait = () => {
    began = performance.now();
    const left = patience + (arrived * 1000) / minBytesPerSecond - waited;
    clock = setTimeout(tooLate, Math.max(0, Math.min(patience, left)));
    request.resume();
  };
  const tooLate = () => fail(requestTimeout('It arrives too slowly.', { headers: { Connection: 'close' } }));
  const onPiece = (piece: Buffer) => {
    clearTimeout(clock);
    request.pause();
    waited += performance.now() - began;
    arrived += piece.length;
    take(piece).then(() => !stopped && wait(), fail);
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
    clearTimeout(clock);
    request.off('data', onPiece).off('end', onEnd).off('close', onClose);
    request.resume();
  };
  const fail = (error: Error) => {
    stop();
    reject(error);
  };
  // A connection that breaks is told by `close` too.
  request.on('error', () => {});
  request.on('data', onPiece).once('end', onEnd).once('close', onClose);
  wait();
  return { ended, stop };
}
