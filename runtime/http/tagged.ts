/**
 * Streamed responses with an ETag, which is known before their content is produced.
 */
import type { Context } from 'koa';
import { isKnown } from './preconditions.ts';
import { type StreamedResponse, sendStreamed, type TaggedChunks } from './streamed.ts';

/** Sends tagged chunks; 304 if the client has them. @throws precondition_failed (412), and as `sendStreamed` */
export async function sendTagged(
  ctx: Context,
  response: StreamedResponse,
  { etag, chunks }: TaggedChunks,
  deadline?: number,
): Promise<void> {
  const headers = { ...response.headers, ETag: etag };
  if (!isKnown(ctx.req.headers, etag)) return sendStreamed(ctx, { ...response, headers }, chunks, deadline);
  ctx.set({ ...headers, 'Cache-Control': response.cacheControl ?? 'no-store' });
  ctx.status = 304;
}
