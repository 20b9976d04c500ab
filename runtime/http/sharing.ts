/**
 * Who may keep the response of a public read (RFC 9111, section 5.2.2): caches that many share, if anybody gets the same
 * response, else the browser alone. Both ask whether it is still current before they use it, so that a change shows at
 * once, and a tag is only confirmed to a caller who would get the same bytes.
 */
import type { Context } from 'koa';

/** Of a response that anybody gets. */
export const sharedCacheControl = 'public, no-cache';
/** Of such a response to a request with a credential: what it depends on is not looked into. */
export const ownCacheControl = 'private, no-cache';
/** Of a response that is for its caller alone. */
export const personalCacheControl = 'private, no-store';

/**
 * Headers that choose the store, its address or the language: a cache that does not revalidate, against the rules, must
 * not give the response for one of their values to a request with another. Origin is in the Vary of all responses.
 */
const selecting = [
  ...['Accept-Language', 'Authorization', 'Cookie'],
  ...['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Tenant-Slug'],
];

/**
 * Sets what a response of a route with `shared` depends on.
 * @param credentials headers with credentials of visitors, in lower case
 * @returns its Cache-Control
 */
export function sharingOf(ctx: Context, credentials: readonly string[]): string {
  ctx.vary([...selecting, ...credentials.filter((name) => name !== 'authorization')]);
  const { headers } = ctx.req;
  const isAnonymous = ['authorization', 'cookie', ...credentials].every((name) => headers[name] === undefined);
  // A session that begins with the response is that of one shopper.
  return isAnonymous && !ctx.res.hasHeader('Set-Cookie') ? sharedCacheControl : ownCacheControl;
}
