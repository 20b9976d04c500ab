/**
 * Reading a request's JSON body, within its limit, with one clear answer for each way it can be wrong.
 */
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { bodyTooLarge, malformedJson, unsupportedMediaType } from './problems.ts';
import type { RouteDeclaration } from './route.ts';

export const defaultBodyLimit = 1024 * 1024;

const readers = new Map<number, ReturnType<typeof readerFor>>();

/**
 * The parsed body, or undefined when the request has none.
 * @throws unsupported_media_type (415), body_too_large (413), malformed_json (400)
 */
export async function readBody(ctx: Context, declaration: RouteDeclaration): Promise<unknown> {
  if (!hasBody(ctx)) return undefined;
  if (!ctx.is('json', '+json'))
    throw unsupportedMediaType(`The body is ${ctx.get('content-type') || 'of no named type'}.`);
  const limit = declaration.bodyLimit ?? defaultBodyLimit;
  if (Number(ctx.get('content-length')) > limit) throw bodyTooLarge(`The limit is ${limit} bytes.`);
  let reader = readers.get(limit);
  if (!reader) {
    reader = readerFor(limit);
    readers.set(limit, reader);
  }
  await reader(ctx, async () => {});
  return ctx.request.body;
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length') || 0) > 0;
}

function readerFor(limit: number) {
  return koaBody({
    json: true,
    // Any JSON value is read: it is the schema that says which is wanted.
    jsonStrict: false,
    jsonTypes: ['application/json', 'application/*+json'],
    jsonLimit: limit,
    multipart: false,
    urlencoded: false,
    text: false,
    onError(error) {
      const { status } = error as { status?: number };
      if (status === 413) throw bodyTooLarge(`The limit is ${limit} bytes.`);
      if (status === 415) throw unsupportedMediaType(error.message);
      throw malformedJson(error.message);
    },
  });
}
