/**
 * The website hosting layer: a service that tells the proxy (Caddyfile) for each request which box serves it, and for
 * which names it may get certificates.
 */
import { readFile } from 'node:fs/promises';
import { bearerToken, listen } from '@carton/runtime/service';
import Koa, { type Context } from 'koa';
import { type Log, logToStandardOutput } from '../registry/log.ts';
import { isOneOf, type Secret } from '../registry/secrets.ts';
import { type DestinationOptions, type Destinations, openDestinations } from './destinations.ts';
import { startNameServer } from './names.ts';

export interface HostingOptions extends Omit<DestinationOptions, 'log'> {
  /** Loopback, since the responses have secrets. */
  host: string;
  /** 0 for any free port. */
  port: number;
  /** UDP port of the names of backends; 0 for any free one. */
  namesPort: number;
  /** Bearer secret of the proxy. */
  proxySecret: Secret;
  log?: Log;
}

export interface Hosting {
  url: string;
  /** Address of the DNS server for the proxy. */
  names: string;
  stop(): Promise<void>;
}

/** Folder of the pages, which the proxy reads too. */
export const pagesFolder = new URL('./pages/', import.meta.url);

/** Starts the service and resolves once it listens. The control plane does not need to be available. */
export async function startHosting(options: HostingOptions): Promise<Hosting> {
  const { host, port, namesPort, log = logToStandardOutput } = options;
  const destinations = openDestinations({ ...options, log });
  const pages = {
    unknown: await readFile(new URL('unknown.html', pagesFolder), 'utf8'),
    unavailable: await readFile(new URL('unavailable.html', pagesFolder), 'utf8'),
  };
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    if (ctx.path === '/ask') await answerAsk(ctx, destinations);
    else if (ctx.path !== '/route') ctx.status = 404;
    else if (isOneOf(bearerToken(ctx), options.proxySecret)) await answerRoute(ctx, destinations, pages);
    else ctx.status = 401;
  });
  const server = await listen(app, host, port);
  const names = await startNameServer(destinations.addressesOf, host, namesPort).catch(async (error) => {
    await server.stop();
    throw error;
  });
  let stopping: Promise<void> | null = null;
  const stop = async () => {
    await server.stop();
    await names.stop();
  };
  return {
    url: server.url,
    names: names.address,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Whether the proxy may get a certificate for a name: only for hosts of proved domains, and if that is known. */
async function answerAsk(ctx: Context, { isServed }: Destinations): Promise<void> {
  const { domain } = ctx.query;
  ctx.status = await isServed(typeof domain === 'string' ? domain : '').then(
    (served) => (served ? 200 : 404),
    () => 503,
  );
  ctx.body = '';
}

/** Where a request goes, in headers with status 204; or the page that the proxy sends to the client. */
async function answerRoute(
  ctx: Context,
  { find }: Destinations,
  pages: { unknown: string; unavailable: string },
): Promise<void> {
  const found = await find(ctx.get('Hosting-Host')).catch(() => null);
  if (found?.state === 'found') {
    const { scheme, backend, tenantSlug, hostingSecret } = found.destination;
    ctx.status = 204;
    ctx.set({
      'Hosting-Scheme': scheme,
      'Hosting-Backend': backend,
      'Hosting-Tenant-Slug': tenantSlug ?? '',
      'Hosting-Secret': hostingSecret ?? '',
    });
    return;
  }
  ctx.type = 'html';
  ctx.status = found?.state === 'unknown' ? 404 : 503;
  if (found === null) ctx.set('Retry-After', '10');
  ctx.body = found?.state === 'unknown' ? pages.unknown : pages.unavailable;
}
