/**
 * Reads JSON bodies with koa-body.
 */
import { koaBody } from 'koa-body';
import { malformedJson, unsupportedMediaType } from './problems.ts';

/**
 * Returns middleware that reads the body into `ctx.request.body`.
 * @param limit largest body in bytes
 * @param tooLarge creates the problem for a larger one
 * @throws malformed_json (400), unsupported_media_type (415)
 */
export function readerFor(limit: number, tooLarge: (limit: number) => Error) {
  return koaBody({
    json: true,
    // Any JSON value is accepted; the schema decides.
    jsonStrict: false,
    jsonTypes: ['application/json', 'application/*+json'],
    jsonLimit: limit,
    multipart: false,
    urlencoded: false,
    text: false,
    onError(error) {
      const { status } = error as { status?: number };
      if (status === 413) throw tooLarge(limit);
      if (status === 415) throw unsupportedMediaType(error.message);
      throw malformedJson(error.message);
    },
  });
}
