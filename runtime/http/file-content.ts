/**
 * Responses with the content of a stored file: of any media type, with an ETag of the file's own, and in part for clients
 * that seek in a video (RFC 9110, section 14).
 */
import type { Context } from 'koa';
import { isKnown } from './preconditions.ts';
import { rangeNotSatisfiable } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import { type Chunks, sendStreamed } from './streamed.ts';

/** The first and last byte of a part, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What the handler of a route with `file: true` returns. */
export interface FileContent {
  mediaType: string;
  /** In bytes. */
  size: number;
  /** With its quotes; must change with the content. */
  etag: string;
  /** Headers of the response, besides those that follow from these properties. */
  headers?: Readonly<Record<string, string>>;
  /** Reads the file, or a part of it. Not called for HEAD, and if the client has the current version. */
  open(range?: ByteRange): Chunks;
}

/**
 * Sends a file, the requested part of it, or 304; for HEAD the headers only. Several ranges and invalid ones are
 * ignored: the response is the complete file.
 * @param deadline milliseconds in which the client has to read what was sent
 * @throws precondition_failed (412); range_not_satisfiable (416) for a range that begins after the end
 */
export async function sendFile(
  ctx: Context,
  { status, cacheControl }: RouteDeclaration,
  file: FileContent,
  deadline?: number,
): Promise<void> {
  const { mediaType, size, etag } = file;
  const headers = { ...file.headers, ETag: etag, 'Accept-Ranges': 'bytes' };
  if (isKnown(ctx.req.headers, etag)) {
    ctx.set({ ...headers, 'Cache-Control': cacheControl ?? 'no-store' });
    ctx.status = 304;
    return;
  }
  const range = rangeOf(ctx, size, etag);
  const length = range ? range.end - range.start + 1 : size;
  const partial = range && { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` };
  const response = {
    status: range ? 206 : status,
    mediaType,
    ...(cacheControl && { cacheControl }),
    headers: { ...headers, ...partial, 'Content-Length': String(length) },
  };
  const chunks = ctx.method === 'HEAD' ? nothing() : file.open(range ?? undefined);
  await sendStreamed(ctx, response, chunks, deadline);
}

async function* nothing(): Chunks {}

/**
 * The requested part; null for the complete file.
 * @throws range_not_satisfiable (416)
 */
function rangeOf(ctx: Context, size: number, etag: string): ByteRange | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(ctx.get('range').trim());
  const ifRange = ctx.get('if-range');
  if (!match || ctx.method !== 'GET' || (ifRange && ifRange !== etag)) return null;
  const [, first, last] = match as unknown as [string, string, string];
  if ((first === '' && last === '') || (first !== '' && last !== '' && Number(last) < Number(first))) return null;
  // Without a first byte, the range is so many bytes at the end: of an empty file, all of it.
  if (first === '' && Number(last) > 0 && size === 0) return null;
  const start = first === '' ? size - Math.min(Number(last), size) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  throw rangeNotSatisfiable(`The file has ${size} bytes.`, { headers: { 'Content-Range': `bytes */${size}` } });
}
