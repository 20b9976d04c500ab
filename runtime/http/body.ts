/**
 * Reading a request's body, JSON unless it is declared raw, within its limit, with one clear answer for each way it
 * can be wrong.
 */
import type { Context } from 'koa';
import type { readerFor } from './json-reader.ts';
import { bodyTooLarge, invalidRequest, requestTimeout, unsupportedMediaType } from './problems.ts';
import type { RouteDeclaration } from './route.ts';

export const defaultBodyLimit = 1024 * 1024;
/** Milliseconds: a megabyte over a slow mobile connection. */
export const defaultBodyDeadline = 20_000;
/** Objects and arrays within one another: none of ours are so deep, and what walks a body walks it by calling itself. */
export const maxBodyDepth = 32;

const readers = new Map<number, Promise<ReturnType<typeof readerFor>>>();

/**
 * The parsed body, or undefined when the request has none.
 * @throws unsupported_media_type (415), body_too_large (413), malformed_json (400), invalid_request (400) for one that
 * is too deep
 */
export async function readBody(ctx: Context, declaration: RouteDeclaration): Promise<unknown> {
  if (!hasBody(ctx)) return undefined;
  if (!ctx.is('json', '+json'))
    throw unsupportedMediaType(`The body is ${ctx.get('content-type') || 'of no named type'}.`);
  const limit = declaration.bodyLimit ?? defaultBodyLimit;
  if (Number(ctx.get('content-length')) > limit) throw tooLarge(limit);
  let reader = readers.get(limit);
  if (!reader) {
    // Not before the first body: the library is a good part of what a service loads.
    reader = import('./json-reader.ts').then((module) => module.readerFor(limit, tooLarge));
    readers.set(limit, reader);
  }
  const read = await reader;
  await read(ctx, async () => {});
  const { body } = ctx.request;
  if (isDeeper(body, maxBodyDepth)) {
    const detail = `must not be deeper than ${maxBodyDepth} levels`;
    throw invalidRequest(`body: ${detail}`, { errors: [{ in: 'body', pointer: '', detail }] });
  }
  return body;
}

function tooLarge(limit: number) {
  return bodyTooLarge(`The limit is ${limit} bytes.`);
}

/** Whether there are more than so many objects and arrays within one another. */
function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  for (const child of Object.values(value)) if (isDeeper(child, levels - 1)) return true;
  return false;
}

/** Waits for a body that has to arrive by the deadline, in milliseconds. @throws request_timeout (408) */
export async function withDeadline<T>(ctx: Context, reading: Promise<T>, deadline: number): Promise<T> {
  // Most have arrived with the headers; those need no clock.
  if (ctx.req.complete) return reading;
  return raceClock(reading, deadline);
}

async function raceClock<T>(reading: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => {
      reject(requestTimeout(`The limit is ${deadline / 1000} s.`, { headers: { Connection: 'close' } }));
    };
    timer = setTimeout(expire, deadline);
  });
  // The connection's end will end the reading too, when nobody waits for it any more.
  reading.catch(() => {});
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
}

/** The body as it was sent; of no bytes when there is none. @throws body_too_large (413) */
export async function readBytes(
  ctx: Context,
  { bodyLimit: limit = defaultBodyLimit }: RouteDeclaration,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Left open when it is too much: the answer goes out over the same connection.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Lets what is left of a body pass, unseen: a client that is cut off while it sends would not read the answer. One that
 * goes on beyond the deadline, in milliseconds, is cut off.
 */
export function drain({ req }: Context, deadline = defaultBodyDeadline): void {
  if (req.complete) return;
  const cutOff = setTimeout(() => req.socket.destroy(), deadline);
  for (const event of ['end', 'close']) req.once(event, () => clearTimeout(cutOff));
  req.resume();
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length') || 0) > 0;
}
