/**
 * `/docs`: the interactive explorer (koa2-swagger-ui). All assets are served from disk, and the content security policy
 * forbids loading anything from other origins.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';
import { methodNotAllowed } from '../http/problems.ts';
import type { ExplorerOptions } from './page.ts';

const assets = new Map([
  ['swagger-ui.min.css', { folder: 'swagger-ui', file: 'swagger-ui.css', type: 'text/css' }],
  ['swagger-ui-bundle.js', { folder: 'swagger-ui', file: 'swagger-ui-bundle.js', type: 'text/javascript' }],
  [
    'swagger-ui-standalone-preset.js',
    { folder: 'swagger-ui', file: 'swagger-ui-standalone-preset.js', type: 'text/javascript' },
  ],
  ['explorer.css', { folder: 'explorer', file: 'explorer.css', type: 'text/css' }],
  ['explorer.js', { folder: 'explorer', file: 'explorer.js', type: 'text/javascript' }],
  ['favicon.svg', { folder: 'explorer', file: 'favicon.svg', type: 'image/svg+xml' }],
]);

/** The asset folders: beside a built engine, else in the source tree and the folder of the library. */
function assetFolders(): Record<string, string> {
  const here = dirname(fileURLToPath(import.meta.url));
  const built = join(here, 'assets', 'swagger-ui');
  if (existsSync(built)) return { 'swagger-ui': built, explorer: join(here, 'assets', 'explorer') };
  const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return { 'swagger-ui': library, explorer: join(here, 'assets') };
}

/** The page itself is a route (http/service-routes.ts), so that the document lists it. */
export interface Explorer {
  /** The HTML page, rendered at the first call. */
  page(): Promise<string>;
  /** Serves the assets, sets the page's content security policy, and passes all other requests on. */
  middleware: Middleware;
}

export function explorer(options: ExplorerOptions): Explorer {
  const { path = '/docs' } = options;
  const assetPath = `${path}/assets`;
  const folders = assetFolders();
  let rendered: Promise<{ html: string; policy: string }> | undefined;
  // The library is loaded at the first request for the page, to keep the start fast.
  const render = () => {
    rendered ??= import('./page.ts').then(({ renderPage }) => renderPage({ ...options, path }));
    return rendered;
  };

  return {
    page: async () => (await render()).html,
    async middleware(ctx, next) {
      if (ctx.path === path) {
        ctx.set('Content-Security-Policy', (await render()).policy);
        return next();
      }
      const asset = ctx.path.startsWith(`${assetPath}/`) ? assets.get(ctx.path.slice(assetPath.length + 1)) : undefined;
      if (!asset) return next();
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        throw methodNotAllowed(`${ctx.path} is read-only.`, { headers: { Allow: 'GET, HEAD' } });
      }
      ctx.set('Cache-Control', 'public, max-age=3600');
      ctx.type = asset.type;
      ctx.body = await readFile(join(folders[asset.folder] as string, asset.file));
    },
  };
}
