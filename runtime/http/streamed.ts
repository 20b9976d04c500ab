/**
 * Streamed responses, for content that is too large for memory: exports, sitemaps. The producer is paused while the
 * client reads slowly, and closed when it disconnects.
 */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';

/** The result of the handler of a route with `streamed: true`, usually an async generator. */
export type Chunks = AsyncIterable<string | Uint8Array>;

/** Chunks with the tag of what they are, which is known before they are produced. */
export class TaggedChunks {
  readonly etag: string;
  readonly chunks: Chunks;

  /** @param version differs whenever the content does */
  constructor(version: string, chunks: Chunks) {
    this.etag = `"${version}"`;
    this.chunks = chunks;
  }

  [Symbol.asyncIterator]() {
    return this.chunks[Symbol.asyncIterator]();
  }
}

export interface StreamedResponse {
  status: number;
  mediaType?: string;
  cacheControl?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Characters or bytes that are buffered before they are sent. */
const bufferSize = 16 * 1024;
/** Milliseconds in which a client has to read what a connection buffers, over a slow line. */
export const defaultReadDeadline = 120_000;

/**
 * Sends a response chunk by chunk. An error before the first chunk is rethrown, so that the caller can send a problem;
 * after a later one the connection is closed, so that the client does not mistake partial content for complete.
 * @param deadline milliseconds in which the client has to read what was sent
 * @throws Error when the response was aborted
 */
export async function sendStreamed(
  ctx: Context,
  { status, mediaType, cacheControl = 'no-store', headers = {} }: StreamedResponse,
  chunks: Chunks,
  deadline = defaultReadDeadline,
): Promise<void> {
  const producer = chunks[Symbol.asyncIterator]();
  try {
    const first = await nextBatch(producer);
    ctx.set({ ...headers, 'Content-Type': mediaType as string, 'Cache-Control': cacheControl });
    ctx.status = status;
    // From here on we write the response, not Koa.
    ctx.respond = false;
    if (ctx.method === 'HEAD') ctx.res.end();
    else await write(ctx.res, producer, first, deadline);
  } finally {
    await producer.return?.();
  }
}

type Producer = AsyncIterator<string | Uint8Array>;

interface Batch {
  bytes: Buffer;
  isLast: boolean;
}

/** Collects the next chunks into one write. */
async function nextBatch(producer: Producer): Promise<Batch> {
  const parts: Buffer[] = [];
  let text = '';
  let size = 0;
  const flush = () => {
    if (text !== '') parts.push(Buffer.from(text));
    text = '';
  };
  while (size < bufferSize) {
    const { done, value } = await producer.next();
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

async function write(response: ServerResponse, producer: Producer, first: Batch, deadline: number): Promise<void> {
  try {
    let next = first;
    for (;;) {
      // The client has disconnected.
      if (response.destroyed) return;
      if (next.bytes.length > 0 && !response.write(next.bytes)) await waitForDrain(response, deadline);
      if (next.isLast) break;
      next = await nextBatch(producer);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Waits until the client has read what was written, or has disconnected. @throws Error when it takes too long */
async function waitForDrain(response: ServerResponse, deadline: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('the client does not read the streamed response')), deadline);
  response.once('drain', resolve).once('close', resolve);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    response.off('drain', resolve).off('close', resolve);
  }
}
