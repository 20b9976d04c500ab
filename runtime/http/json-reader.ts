/**
 * Reads JSON bodies: koa-body reads the bytes within their limit, and they become the value that was sent, or a
 * problem.
 */
import { isUtf8 } from 'node:buffer';
import { parse } from '@hapi/bourne';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { isNestedDeeper } from './json-depth.ts';
import { malformedJson, unsupportedMediaType } from './problems.ts';

export interface JsonBody {
  text: string;
  /** Undefined if the text is nested too deeply. */
  value: unknown;
  isTooDeep: boolean;
}

/** Characters from which the depth is looked at: less is parsed in no time. */
const large = 16 * 1024;

/**
 * Returns a function that reads the body of a request.
 * @param limit largest body in bytes
 * @param tooLarge creates the problem for a larger one
 * @param levels of nesting, more of which are not parsed in a large body
 * @throws malformed_json (400), also for bytes that are not UTF-8; unsupported_media_type (415)
 */
export function readerFor(
  limit: number,
  tooLarge: (limit: number) => Error,
  levels: number,
): (ctx: Context) => Promise<JsonBody> {
  const read = koaBody({
    // One character for each byte: a decoder would replace what it cannot read.
    encoding: 'binary',
    text: true,
    textTypes: ['application/json', 'application/*+json'],
    textLimit: limit,
    json: false,
    multipart: false,
    urlencoded: false,
    onError(error) {
      const { status } = error as { status?: number };
      if (status === 413) throw tooLarge(limit);
      if (status === 415) throw unsupportedMediaType(error.message);
      throw malformedJson(error.message);
    },
  });

  return async function readJson(ctx) {
    // JSON has this encoding only (RFC 8259, section 8.1).
    const { charset } = ctx.request;
    if (charset && !/^utf-?8$/i.test(charset)) throw unsupportedMediaType(`The charset is ${charset}: send UTF-8.`);
    await read(ctx, async () => {});
    const bytes = Buffer.from(String(ctx.request.body), 'latin1');
    if (!isUtf8(bytes)) throw malformedJson('The body has bytes that are not UTF-8.');
    const text = bytes.toString('utf8').replace(/^\ufeff/, '');
    // An empty body is refused by the schema.
    if (text.length > large && isNestedDeeper(text, levels)) return { text, value: undefined, isTooDeep: true };
    return { text, value: text === '' ? '' : parseJson(text), isTooDeep: false };
  };
}

function parseJson(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw malformedJson((error as Error).message);
  }
}
