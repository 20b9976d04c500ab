/**
 * Which other sites' pages may call: what browsers are told (CORS, WHATWG Fetch section 3.3), and which requests are
 * refused because another site's page sent them with the visitor's cookie (cross-site request forgery).
 */
import type { Context } from 'koa';
import { type AccessKind, bearerToken } from './credentials.ts';
import { documentedHeaders } from './headers.ts';
import { crossSiteRequest } from './problems.ts';
import { accessKindsOf, type RouteDeclaration } from './route.ts';

/**
 * The origins whose pages may call what a request is for, as browsers write them (`https://shop.example.com`);
 * `https://*.example.com` stands for one more label.
 */
export type OriginSource = (ctx: Context) => Promise<readonly string[]> | readonly string[];

/** How an origin is allowed: an exact one may send credentials, one that a wildcard covers may not. */
export function matchOrigin(origin: string, allowed: readonly string[]): 'exact' | 'wildcard' | null {
  if (origin.includes('*')) return null;
  if (allowed.includes(origin)) return 'exact';
  const wildcard = origin.replace(/^(https?:\/\/)[^./:]+(?=\.)/, '$1*');
  return wildcard !== origin && allowed.includes(wildcard) ? 'wildcard' : null;
}

/** The host of an origin, with its port; undefined for `null` and what is no origin. */
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
const preflightSeconds = 600;

/** Headers that a page may send: the ones of every call, and those that hold a credential. */
export function acceptedHeaders(kinds: readonly AccessKind<never>[]): string {
  const schemes = kinds.flatMap((kind) => Object.values(kind.schemes));
  const ofCredentials = schemes.flatMap((scheme) => (scheme.in === 'header' && scheme.name ? [scheme.name] : []));
  return [...new Set([...alwaysAccepted, ...ofCredentials])].join(', ');
}

/**
 * Tells browsers whether the page that calls may read the answer. A preflight asks nothing else: it carries no
 * credential and reaches no route. @returns true when the request was a preflight of an allowed origin
 */
export async function announceOrigins(ctx: Context, origins: OriginSource, accepted: string): Promise<boolean> {
  // Said of every answer, so that no cache gives one site's answer to another (Fetch, section 3.3.5).
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

/** Where the credentials of a route may stand. */
export interface CredentialPlaces {
  cookies: readonly string[];
  /** In lower case. */
  headers: readonly string[];
}

/** Where the credentials of a route may stand, from the schemes of its access kinds. */
export function credentialPlaces(
  declaration: RouteDeclaration,
  kinds: ReadonlyMap<string, Pick<AccessKind, 'schemes' | 'legacyCookies'>>,
): CredentialPlaces {
  const asked = accessKindsOf(declaration).map((name) => kinds.get(name));
  const schemes = asked.flatMap((kind) => Object.values(kind?.schemes ?? {}));
  const earlier = asked.flatMap((kind) => kind?.legacyCookies ?? []);
  const named = (place: string) => schemes.filter((scheme) => scheme.in === place).map(({ name = '' }) => name);
  const bearer = schemes.some((scheme) => scheme.type === 'http') ? ['authorization'] : [];
  const headers = [...named('header').map((name) => name.toLowerCase()), ...bearer];
  return { cookies: [...named('cookie'), ...earlier], headers };
}

/** Whether a header is there that no page sends unasked: browsers add Basic credentials by themselves. */
function isExplicitCredential(ctx: Context, name: string): boolean {
  return name === 'authorization' ? bearerToken(ctx) !== null : ctx.req.headers[name] !== undefined;
}

/**
 * Refuses a request that another site's page sent with the visitor's cookie, judged by what a browser says and a page
 * cannot change: Sec-Fetch-Site, else Origin. A credential in a header is no page's to send unasked, and who sends
 * neither header is no browser of today.
 * @throws cross_site_request (403)
 */
export async function rejectCrossSite(ctx: Context, places: CredentialPlaces, origins?: OriginSource): Promise<void> {
  const { headers } = ctx.req;
  if (headers.cookie === undefined || places.headers.some((name) => isExplicitCredential(ctx, name))) return;
  if (!places.cookies.some((name) => ctx.cookies.get(name) !== undefined)) return;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && origin === undefined) return;
  if (origin !== undefined) {
    if (site === undefined && hostOf(origin) === ctx.host.toLowerCase()) return;
    if (origins && matchOrigin(origin, await origins(ctx)) === 'exact') return;
  }
  throw crossSiteRequest(`Pages of ${origin ?? 'another site'} may not use this visitor's cookie.`);
}
