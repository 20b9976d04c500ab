/**
 * Response headers: those of every response, and those that are documented for callers and exposed to browsers (CORS).
 */
import type { Context } from 'koa';
import type { ParameterObject } from 'openapi3-ts/oas31';
import type { RouteDeclaration } from './route.ts';

/** The documented response headers and their descriptions. */
export const documentedHeaders = {
  ETag: 'Identifies this version of the resource, for If-None-Match and If-Match (RFC 9110, section 8.8.3)',
  Location: 'URL of the new resource',
  'Retry-After': 'Seconds to wait before the next attempt',
  RateLimit: 'Remaining quota: `"read";r=<requests left>;t=<seconds until the quota is full again>`',
  'RateLimit-Policy': 'Quota policy: `"read";q=<requests>;w=<window in seconds>`',
  'Idempotent-Replayed':
    '`true` if this response was already returned to an earlier request with the same Idempotency-Key',
  'X-Request-Id': 'Identifies the request in the logs',
  'X-Session-Id': 'Token of the shopper session, for clients without cookies',
} as const;

export type DocumentedHeader = keyof typeof documentedHeaders;

/** A header of requests, in the document. */
export interface RequestHeader {
  /** Component name. */
  key: string;
  parameter: ParameterObject;
  appliesTo(declaration: RouteDeclaration): boolean;
}

/** Security headers: no content sniffing, no subresources, no framing, no referrer. */
const securityHeaders = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
});

const oneYear = 365 * 24 * 60 * 60;

/** Sets the headers of every response. A page that loads subresources overrides the content security policy. */
export function setCommonHeaders(ctx: Context, requestId: string): void {
  const { res } = ctx;
  res.setHeader('X-Request-Id', requestId);
  for (const [name, value] of securityHeaders) res.setHeader(name, value);
  // It must not be sent over plain HTTP (RFC 6797, section 7.2).
  if (ctx.secure) res.setHeader('Strict-Transport-Security', `max-age=${oneYear}`);
}
