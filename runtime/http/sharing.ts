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
 * Returns a function that sets what a response of a route with `shared` depends on, and returns its Cache-Control.
 * @param credentials headers with credentials of visitors, in lower case
 */
export function sharingBy(credentials: readonly string[]): (ctx: Context) => string {
  const own = credentials.filter((name) => name !== 'authorization');
  const names = [...selecting, ...own].join(', ');
  const identifying = ['authorization', 'cookie', ...own];

  return function sharingOf({ req: { headers }, res }) {
    const set = res.getHeader('Vary');
    res.setHeader('Vary', set === undefined ? names : `${set}, ${names}`);
    const isAnonymous = identifying.every((name) => headers[name] === undefined);
    // A session that begins with the response is that of one shopper.
    return isAnonymous && !res.hasHeader('Set-Cookie') ? sharedCacheControl : ownCacheControl;
  };
}
