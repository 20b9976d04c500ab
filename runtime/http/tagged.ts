/**
 * Streamed responses with an ETag, which is known before their content is produced.
 */
import type { Context } from 'koa';
import { matchesWeakly } from './preconditions.ts';
import { type StreamedResponse, sendStreamed, type TaggedChunks } from './streamed.ts';

/** Sends tagged chunks; 304 if the client has them. @throws as `sendStreamed` */
export async function sendTagged(
  ctx: Context,
  response: StreamedResponse,
  { etag, chunks }: TaggedChunks,
  deadline?: number,
): Promise<void> {
  const headers = { ...response.headers, ETag: etag };
  const ifNoneMatch = ctx.get('if-none-match');
  if (!ifNoneMatch || !matchesWeakly(ifNoneMatch, etag))
    return sendStreamed(ctx, { ...response, headers }, chunks, deadline);
  ctx.set({ ...headers, 'Cache-Control': response.cacheControl ?? 'no-store' });
  ctx.status = 304;
}
