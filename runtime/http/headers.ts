/**
 * Headers of answers: the ones every answer carries, and the list of those that say something to a caller. Browsers
 * are shown these (CORS), and the document describes them.
 */
import type { Context } from 'koa';

/** Headers that mean something to a caller, with what they mean. */
export const documentedHeaders = {
  ETag: 'Names this state of the resource; for If-None-Match and If-Match (RFC 9110, section 8.8.3)',
  Location: 'Where the new resource is read',
  'Retry-After': 'Seconds to wait before asking again',
  RateLimit: 'What is left of the limit: `"read";r=<requests left>;t=<seconds until all of it is back>`',
  'RateLimit-Policy': 'The limit that applies: `"read";q=<requests>;w=<in seconds>`',
  'Idempotent-Replayed': '`true` for the repeated answer of an Idempotency-Key',
  'X-Request-Id': 'Names the request in the logs',
  'X-Session-Id': "The shopper's session, for clients without cookies",
} as const;

export type DocumentedHeader = keyof typeof documentedHeaders;

/** What is said besides to browsers: believe the type, load nothing, show it in no frame, tell nobody where from. */
const everyAnswer = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
});

const oneYear = 365 * 24 * 60 * 60;

/** Puts the headers that every answer carries. A page that must load something sets its own policy over this one. */
export function setCommonHeaders(ctx: Context, requestId: string): void {
  const { res } = ctx;
  res.setHeader('X-Request-Id', requestId);
  for (const [name, value] of everyAnswer) res.setHeader(name, value);
  // A browser heeds it over TLS only (RFC 6797, section 7.2).
  if (ctx.secure) res.setHeader('Strict-Transport-Security', `max-age=${oneYear}`);
}
