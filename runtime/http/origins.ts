/**
 * Requests from pages of other origins: CORS (WHATWG Fetch, section 3.3), and protection against cross-site request
 * forgery.
 */
import type { Context } from 'koa';
import { type AccessKind, bearerToken } from './credentials.ts';
import { documentedHeaders } from './headers.ts';
import { crossSiteRequest } from './problems.ts';
import { accessKindsOf, type RouteDeclaration } from './route.ts';

/**
 * Returns the origins whose pages may send this request, as browsers write them (`https://shop.example.com`);
 * `https://*.example.com` matches exactly one further label.
 */
export type OriginSource = (ctx: Context) => Promise<readonly string[]> | readonly string[];

/** How an origin is allowed: an exact match may send credentials, a wildcard match may not. */
export function matchOrigin(origin: string, allowed: readonly string[]): 'exact' | 'wildcard' | null {
  if (origin.includes('*')) return null;
  if (allowed.includes(origin)) return 'exact';
  const wildcard = origin.replace(/^(https?:\/\/)[^./:]+(?=\.)/, '$1*');
  return wildcard !== origin && allowed.includes(wildcard) ? 'wildcard' : null;
}

/** The host of an origin, with its port; undefined for `null` and invalid origins. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/?#@\s]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

const exposed = Object.keys(documentedHeaders).join(', ');
const alwaysAccepted = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-Id',
];
/** Headers that libraries for traces and errors add to the requests of a page. A box uses those of W3C only. */
const tracing = [
  ...['traceparent', 'tracestate', 'baggage', 'sentry-trace'],
  ...['b3', 'X-B3-TraceId', 'X-B3-SpanId', 'X-B3-ParentSpanId', 'X-B3-Sampled', 'X-B3-Flags', 'uber-trace-id'],
  ...['x-datadog-trace-id', 'x-datadog-parent-id', 'x-datadog-origin', 'x-datadog-sampling-priority', 'x-datadog-tags'],
  ...[
    'newrelic',
    'elastic-apm-traceparent',
    'Request-Id',
    'Request-Context',
    'X-Amzn-Trace-Id',
    'X-Cloud-Trace-Context',
  ],
];
const preflightSeconds = 600;

/** Headers that a page may send: those of every operation, those of traces, and those with credentials. */
export function acceptedHeaders(kinds: readonly AccessKind<never>[]): string {
  const schemes = kinds.flatMap((kind) => Object.values(kind.schemes));
  const ofCredentials = schemes.flatMap((scheme) => (scheme.in === 'header' && scheme.name ? [scheme.name] : []));
  return [...new Set([...alwaysAccepted, ...tracing, ...ofCredentials])].join(', ');
}

/**
 * Sets the CORS headers, which tell browsers whether the calling page may read the response. A preflight carries no
 * credential and reaches no route. @returns true for a preflight of an allowed origin
 */
export async function setCorsHeaders(ctx: Context, origins: OriginSource, accepted: string): Promise<boolean> {
  // On every response, so that no cache serves one origin's response to another (Fetch, section 3.3.5).
  ctx.res.setHeader('Vary', 'Origin');
  const { origin } = ctx.req.headers;
  if (!origin || hostOf(origin) === ctx.host.toLowerCase()) return false;
  const match = matchOrigin(origin, await origins(ctx));
  if (match === null) return false;
  ctx.set('Access-Control-Allow-Origin', origin);
  if (match === 'exact') ctx.set('Access-Control-Allow-Credentials', 'true');
  if (ctx.method !== 'OPTIONS' || !ctx.get('access-control-request-method')) {
    ctx.set('Access-Control-Expose-Headers', exposed);
    return false;
  }
  ctx.set('Access-Control-Allow-Headers', accepted);
  ctx.set('Access-Control-Max-Age', String(preflightSeconds));
  return true;
}

/** The cookies and headers that may carry the credentials of a route. */
export interface CredentialSources {
  cookies: readonly string[];
  /** In lower case. */
  headers: readonly string[];
}

/** Returns the credential sources of a route, from the schemes of its access kinds. */
export function credentialSources(
  declaration: RouteDeclaration,
  kinds: ReadonlyMap<string, Pick<AccessKind, 'schemes' | 'legacyCookies'>>,
): CredentialSources {
  const accepted = accessKindsOf(declaration).map((name) => kinds.get(name));
  const schemes = accepted.flatMap((kind) => Object.values(kind?.schemes ?? {}));
  const legacyCookies = accepted.flatMap((kind) => kind?.legacyCookies ?? []);
  const namesIn = (source: string) => schemes.filter((scheme) => scheme.in === source).map(({ name = '' }) => name);
  const bearer = schemes.some((scheme) => scheme.type === 'http') ? ['authorization'] : [];
  const headers = [...namesIn('header').map((name) => name.toLowerCase()), ...bearer];
  return { cookies: [...namesIn('cookie'), ...legacyCookies], headers };
}

/** Whether a header carries a credential that browsers do not add by themselves, as they do with Basic credentials. */
function isExplicitCredential(ctx: Context, name: string): boolean {
  return name === 'authorization' ? bearerToken(ctx) !== null : ctx.req.headers[name] !== undefined;
}

/**
 * Rejects a request that a page of another origin sent with the visitor's cookie, judged by headers that browsers set
 * and pages cannot change: Sec-Fetch-Site, else Origin. A credential in a header proves that the request is not forged,
 * and every current browser sends one of the two headers.
 * @throws cross_site_request (403)
 */
export async function rejectCrossSite(ctx: Context, sources: CredentialSources, origins?: OriginSource): Promise<void> {
  const { headers } = ctx.req;
  if (headers.cookie === undefined || sources.headers.some((name) => isExplicitCredential(ctx, name))) return;
  if (!sources.cookies.some((name) => ctx.cookies.get(name) !== undefined)) return;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && origin === undefined) return;
  if (origin !== undefined) {
    if (site === undefined && hostOf(origin) === ctx.host.toLowerCase()) return;
    if (origins && matchOrigin(origin, await origins(ctx)) === 'exact') return;
  }
  throw crossSiteRequest(`Pages of ${origin ?? 'other origins'} may not send requests with cookies.`);
}
