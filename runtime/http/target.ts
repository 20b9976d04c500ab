/**
 * Which host a request is for (RFC 9112, section 3.2): said once, as a host is written, and by the request's target where
 * that is a whole address. Whoever stands in front of us, a proxy or a cache, must read the same out of it.
 */
import type { Context } from 'koa';
import { invalidRequest } from './problems.ts';

/**
 * A host, and a port or none. Of what RFC 3986 (section 3.2.2) allows in a name only what names consist of: letters,
 * digits, dots, hyphens, and the underscores of private networks; or an IPv6 address in brackets.
 */
const hostPattern = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;
const longestHost = 261; // 255 characters and a port
const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Settles the host and the path of a request: `ctx.host` and `ctx.path` hold from here on.
 * @throws invalid_request (400) for two Host headers, one that is no host, none in HTTP/1.1, or a target that is neither
 * a path nor an address
 */
export function resolveTarget(ctx: Context): void {
  const { req } = ctx;
  const { host } = req.headers;
  if (hostLines(req.rawHeaders) > 1) throw wrongHost('Host', 'is there twice');
  if (host === undefined && req.httpVersionMinor > 0) throw wrongHost('Host', 'is missing');
  if (host) requireValidHost('Host', host);
  const url = req.url ?? '';
  if (!url.startsWith('/') && url !== '*') {
    const [, named = '', rest = ''] = absoluteForm.exec(url) ?? [];
    requireValidHost('Host', named);
    // Whatever the Host header says (section 3.2.2).
    req.headers.host = named;
    ctx.url = rest.startsWith('/') ? rest : `/${rest}`;
    ctx.originalUrl = ctx.url;
  }
  const forwarded = req.headers['x-forwarded-host'];
  // What stands in it now was written by a proxy that is believed (trusted-proxy.ts).
  if (ctx.app.proxy && forwarded) requireValidHost('X-Forwarded-Host', String(forwarded));
}

function hostLines(rawHeaders: readonly string[]): number {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') lines++;
  }
  return lines;
}

function requireValidHost(header: string, given: string): void {
  if (given.length > longestHost || !hostPattern.test(given)) throw wrongHost(header, 'is no host');
}

function wrongHost(header: string, detail: string) {
  return invalidRequest(`${header} ${detail}.`, { errors: [{ in: 'header', pointer: `/${header}`, detail }] });
}
