/**
 * Answers that are sent as they are made, for what is too long to hold: exports, sitemaps. The maker is held back while
 * its reader is slow, and ended when the reader goes away.
 */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';

/** What the handler of a route with `streamed: true` answers; an async generator is one. */
export type Chunks = AsyncIterable<string | Uint8Array>;

/** Characters or bytes that are gathered before they are sent. */
const gathered = 16 * 1024;
/** Milliseconds in which a reader has to take what it was sent, unless told: what a connection buffers, on a poor line. */
export const defaultReadDeadline = 120_000;

/**
 * Sends an answer piece by piece. What the maker throws before its first piece is thrown here, for a whole answer to
 * tell of it; later the connection is cut, so that nobody takes what has come for all there is.
 * @param deadline milliseconds in which the reader has to take what it was sent
 * @throws Error when the answer broke off
 */
export async function sendStreamed(
  ctx: Context,
  { status, mediaType, cacheControl = 'no-store' }: { status: number; mediaType?: string; cacheControl?: string },
  pieces: Chunks,
  deadline = defaultReadDeadline,
): Promise<void> {
  const maker = pieces[Symbol.asyncIterator]();
  try {
    const first = await gather(maker);
    ctx.set({ 'Content-Type': mediaType as string, 'Cache-Control': cacheControl });
    ctx.status = status;
    // From here on the answer is written by us, not by Koa.
    ctx.respond = false;
    if (ctx.method === 'HEAD') ctx.res.end();
    else await write(ctx.res, maker, first, deadline);
  } finally {
    await maker.return?.();
  }
}

type Maker = AsyncIterator<string | Uint8Array>;

interface Gathered {
  bytes: Buffer;
  isLast: boolean;
}

/** The next pieces, enough of them to be worth a packet. */
async function gather(maker: Maker): Promise<Gathered> {
  const parts: Buffer[] = [];
  let text = '';
  let size = 0;
  const flush = () => {
    if (text !== '') parts.push(Buffer.from(text));
    text = '';
  };
  while (size < gathered) {
    const { done, value } = await maker.next();
    if (done) {
      flush();
      return { bytes: Buffer.concat(parts), isLast: true };
    }
    size += value.length;
    if (typeof value === 'string') {
      text += value;
    } else {
      flush();
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  }
  flush();
  return { bytes: Buffer.concat(parts), isLast: false };
}

async function write(response: ServerResponse, maker: Maker, first: Gathered, deadline: number): Promise<void> {
  try {
    let next = first;
    for (;;) {
      // The reader has gone: nobody is left to be told.
      if (response.destroyed) return;
      if (next.bytes.length > 0 && !response.write(next.bytes)) await taken(response, deadline);
      if (next.isLast) break;
      next = await gather(maker);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Waits until the reader has taken what was written, or has gone. @throws Error when it takes too long */
async function taken(response: ServerResponse, deadline: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const clock = setTimeout(() => reject(new Error('the reader of a streamed answer takes nothing')), deadline);
  response.once('drain', resolve).once('close', resolve);
  try {
    await promise;
  } finally {
    clearTimeout(clock);
    response.off('drain', resolve).off('close', resolve);
  }
}
