/**
 * Determines the host of a request (RFC 9112, section 3.2): from exactly one valid Host header, or from the request target
 * in absolute form. Strict, so that proxies and caches in front of us cannot interpret it differently.
 */
import type { Context } from 'koa';
import { invalidRequest } from './problems.ts';

/**
 * A host with an optional port. Of the characters that RFC 3986 (section 3.2.2) allows in a name, only those in actual
 * use: letters, digits, dots, hyphens, and the underscores of private networks; or an IPv6 address in brackets.
 */
const hostPattern = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;
const maxHostLength = 261; // 255 characters and a port
const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Validates the host and the target of a request, and sets `ctx.host` and `ctx.path` from them.
 * @throws invalid_request (400) for a duplicate or invalid Host header, a missing one in HTTP/1.1, or a target that is
 * neither a path nor an absolute URL
 */
export function resolveTarget(ctx: Context): void {
  const { req } = ctx;
  const { host } = req.headers;
  if (countHostHeaders(req.rawHeaders) > 1) throw invalidHost('Host', 'is duplicate');
  if (host === undefined && req.httpVersionMinor > 0) throw invalidHost('Host', 'is missing');
  if (host) requireValidHost('Host', host);
  const url = req.url ?? '';
  if (!url.startsWith('/') && url !== '*') {
    const [, named = '', rest = ''] = absoluteForm.exec(url) ?? [];
    requireValidHost('Host', named);
    // It overrides the Host header (section 3.2.2).
    req.headers.host = named;
    ctx.url = rest.startsWith('/') ? rest : `/${rest}`;
    ctx.originalUrl = ctx.url;
  }
  const forwarded = req.headers['x-forwarded-host'];
  // Only values of trusted proxies are left in it (trusted-proxy.ts).
  if (ctx.app.proxy && forwarded) requireValidHost('X-Forwarded-Host', String(forwarded));
}

function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

function requireValidHost(header: string, host: string): void {
  if (host.length > maxHostLength || !hostPattern.test(host)) throw invalidHost(header, 'is not a valid host');
}

function invalidHost(header: string, detail: string) {
  return invalidRequest(`${header} ${detail}.`, { errors: [{ in: 'header', pointer: `/${header}`, detail }] });
}
