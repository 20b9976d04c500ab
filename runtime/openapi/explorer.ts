/**
 * `/docs`: the interactive explorer (koa2-swagger-ui), with every asset from disk and a policy that lets the page
 * load nothing from anywhere else.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Middleware } from 'koa';
import { koaSwagger } from 'koa2-swagger-ui';
import { methodNotAllowed } from '../http/problems.ts';

const assets = new Map([
  ['swagger-ui.min.css', { file: 'swagger-ui.css', type: 'text/css' }],
  ['swagger-ui-bundle.js', { file: 'swagger-ui-bundle.js', type: 'text/javascript' }],
  ['swagger-ui-standalone-preset.js', { file: 'swagger-ui-standalone-preset.js', type: 'text/javascript' }],
  ['favicon.png', { file: 'favicon-32x32.png', type: 'image/png' }],
]);

/** Where the assets stand: beside a built engine, else in the library's own folder. */
function assetFolder(): string {
  const built = join(dirname(fileURLToPath(import.meta.url)), 'assets', 'swagger-ui');
  if (existsSync(built)) return built;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

export interface ExplorerOptions {
  /** Address of the page; its document stands at `<path>/json`. */
  path?: string;
  title: string;
}

/** Serves the page and its assets; everything else passes. */
export function explorer({ path = '/docs', title }: ExplorerOptions): Middleware {
  const assetPath = `${path}/assets`;
  const folder = assetFolder();
  const render = koaSwagger({
    title,
    routePrefix: false,
    hideTopbar: true,
    swaggerCdnUrl: path,
    swaggerVersion: 'assets',
    favicon: `${assetPath}/favicon.png`,
    swaggerOptions: {
      dom_id: '#swagger-ui',
      url: `${path}/json`,
      layout: 'StandaloneLayout',
      validatorUrl: null,
    } as never,
  });
  let page: { html: string; policy: string } | undefined;

  return async function serveExplorer(ctx, next) {
    const asset = ctx.path.startsWith(`${assetPath}/`) ? assets.get(ctx.path.slice(assetPath.length + 1)) : undefined;
    if (ctx.path !== path && !asset) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw methodNotAllowed(`${ctx.path} is read only.`, { headers: { Allow: 'GET, HEAD' } });
    }
    if (!asset) {
      page ??= await renderPage(render as unknown as Middleware);
      ctx.set('Content-Security-Policy', page.policy);
      ctx.set('Cache-Control', 'no-cache');
      ctx.set('Referrer-Policy', 'no-referrer');
      ctx.type = 'text/html';
      ctx.body = page.html;
      return;
    }
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = asset.type;
    ctx.body = await readFile(join(folder, asset.file));
  };
}

/**
 * The library's page, without the font sheet it would fetch from elsewhere, and a policy that names its
 * scripts by their hash (CSP 3, section 2.3.1).
 */
async function renderPage(render: Middleware): Promise<{ html: string; policy: string }> {
  const ctx = { path: '/' } as Context;
  await render(ctx as never, async () => {});
  const html = String(ctx.body).replace(/\s*<link href="https?:[^>]*>/g, '');
  const hashes = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script]) =>
      `'sha256-${createHash('sha256')
        .update(script as string)
        .digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    // Swagger UI sets style attributes as it draws.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}
