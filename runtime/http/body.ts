/**
 * Reads request bodies within their size limit: JSON, or raw bytes where a route declares them.
 */
import type { Context } from 'koa';
import type { BodyFault } from './body-fault.ts';
import { changedNumber } from './json-numbers.ts';
import type { readerFor } from './json-reader.ts';
import { pointerTo } from './pointer.ts';
import { bodyTooLarge, invalidRequest, requestTimeout, unsupportedMediaType } from './problems.ts';
import type { RouteDeclaration } from './route.ts';

export const defaultBodyLimit = 1024 * 1024;
/** Milliseconds for a megabyte over a slow mobile connection. */
export const defaultBodyDeadline = 20_000;
/** Nesting levels of objects and arrays. No schema needs as many, and code that walks a body is recursive. */
export const maxBodyDepth = 32;

const readers = new Map<number, Promise<ReturnType<typeof readerFor>>>();

/**
 * Returns the parsed body; undefined when the request has none.
 * @throws unsupported_media_type (415), body_too_large (413), malformed_json (400), invalid_request (400) for a body
 * that is nested too deeply
 */
export async function readBody(ctx: Context, declaration: RouteDeclaration): Promise<unknown> {
  if (!hasBody(ctx)) return undefined;
  if (!ctx.is('json', '+json')) throw unsupportedMediaType(describeContentType(ctx));
  const limit = declaration.bodyLimit ?? defaultBodyLimit;
  if (Number(ctx.get('content-length')) > limit) throw tooLarge(limit);
  let reader = readers.get(limit);
  if (!reader) {
    // Loaded with the first body, since the library is large.
    reader = import('./json-reader.ts').then((module) => module.readerFor(limit, tooLarge, maxBodyDepth));
    readers.set(limit, reader);
  }
  const read = await reader;
  const { text, value: body, isTooDeep } = await read(ctx);
  const fault = isTooDeep
    ? tooDeep
    : (faultOf(body, maxBodyDepth, declaration.acceptsNul === true) ?? changedNumber(text, body));
  if (fault) {
    const { path, detail } = fault;
    const pointer = pointerTo(...path);
    throw invalidRequest(`body${pointer && ' '}${pointer}: ${detail}`, { errors: [{ in: 'body', pointer, detail }] });
  }
  return body;
}

const tooDeep: BodyFault = { path: [], detail: `must not be nested deeper than ${maxBodyDepth} levels` };

/** The character U+0000, which PostgreSQL cannot store, and half of a surrogate pair, which UTF-8 cannot write. */
function faultOfText(text: string, acceptsNul: boolean): BodyFault | null {
  if (!acceptsNul && text.includes('\0')) return { path: [], detail: 'must not contain the character U+0000' };
  return text.isWellFormed() ? null : { path: [], detail: 'must not contain half of a surrogate pair' };
}

/**
 * What no schema needs to name: nesting deeper than so many levels, and what cannot be stored as text. A body of a
 * megabyte has up to 500,000 values, so this is one walk, without lists of them.
 */
function faultOf(value: unknown, levels: number, acceptsNul: boolean): BodyFault | null {
  if (typeof value === 'string') return faultOfText(value, acceptsNul);
  if (value === null || typeof value !== 'object') return null;
  if (levels === 0) return tooDeep;
  // `for … in` would need no list of the names, but V8 optimizes it in vain.
  const names = Array.isArray(value) ? null : Object.keys(value);
  const values: Readonly<Record<string | number, unknown>> = value as never;
  const count = (names ?? (value as unknown[])).length;
  for (let at = 0; at < count; at++) {
    const name = names?.[at];
    const fault = name === undefined ? null : faultOfText(name, acceptsNul);
    if (fault) return fault;
    const inner = faultOf(values[name ?? at], levels - 1, acceptsNul);
    if (inner === tooDeep) return inner;
    if (inner) return { ...inner, path: [name ?? String(at), ...inner.path] };
  }
  return null;
}

/** A sentence for 415. */
export function describeContentType(ctx: Context): string {
  const type = ctx.get('content-type');
  return type ? `The Content-Type is ${type}.` : 'The Content-Type header is missing.';
}

function tooLarge(limit: number) {
  return bodyTooLarge(`The limit is ${limit} bytes.`);
}

/** Waits for a body to arrive within the deadline, in milliseconds. @throws request_timeout (408) */
export async function withDeadline<T>(ctx: Context, reading: Promise<T>, deadline: number): Promise<T> {
  // Most bodies arrive together with the headers and need no timer.
  if (ctx.req.complete) return reading;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => {
      reject(requestTimeout(`The limit is ${deadline / 1000} s.`, { headers: { Connection: 'close' } }));
    };
    timer = setTimeout(expire, deadline);
  });
  // After a timeout, the end of the connection rejects this promise too.
  reading.catch(() => {});
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
}

/** Returns the raw body; empty when there is none. @throws body_too_large (413) */
export async function readBytes(
  ctx: Context,
  { bodyLimit: limit = defaultBodyLimit }: RouteDeclaration,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The stream is not destroyed when the body is too large: the response uses the same connection.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads and discards the rest of a body, since a client whose connection is closed while it sends cannot read the
 * response. The connection is closed when the client still sends after the deadline, in milliseconds.
 */
export function discardBody({ req }: Context, deadline = defaultBodyDeadline): void {
  if (req.complete) return;
  const timer = setTimeout(() => req.socket.destroy(), deadline).unref();
  for (const event of ['end', 'close']) req.once(event, () => clearTimeout(timer));
  req.resume();
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length') || 0) > 0;
}
