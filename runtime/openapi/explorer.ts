/**
 * `/docs`: the interactive explorer (koa2-swagger-ui), with every asset from disk and a policy that lets the page
 * load nothing from anywhere else.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';
import { methodNotAllowed } from '../http/problems.ts';

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

/** Where the assets stand: beside a built engine, else in the source tree and the library's own folder. */
function assetFolders(): Record<string, string> {
  const here = dirname(fileURLToPath(import.meta.url));
  const built = join(here, 'assets', 'swagger-ui');
  if (existsSync(built)) return { 'swagger-ui': built, explorer: join(here, 'assets', 'explorer') };
  const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return { 'swagger-ui': library, explorer: join(here, 'assets') };
}

export interface ExplorerOptions {
  /** Address of the page; its document stands at `<path>/json`. */
  path?: string;
  title: string;
  /** What the page is of, in a sentence. */
  description?: string;
  /** What else the header says, in a word each: tier, version. */
  badges?: readonly string[];
}

/** Serves the page and its assets; everything else passes. */
export function explorer(options: ExplorerOptions): Middleware {
  const { path = '/docs' } = options;
  const assetPath = `${path}/assets`;
  const folders = assetFolders();
  let page: Promise<{ html: string; policy: string }> | undefined;

  return async function serveExplorer(ctx, next) {
    const asset = ctx.path.startsWith(`${assetPath}/`) ? assets.get(ctx.path.slice(assetPath.length + 1)) : undefined;
    if (ctx.path !== path && !asset) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw methodNotAllowed(`${ctx.path} is read only.`, { headers: { Allow: 'GET, HEAD' } });
    }
    if (!asset) {
      // Loaded with the library when the page is first asked for: a start need not pay for it.
      page ??= import('./page.ts').then(({ renderPage }) => renderPage({ ...options, path }));
      const { html, policy } = await page;
      ctx.set('Content-Security-Policy', policy);
      ctx.set('Cache-Control', 'no-cache');
      ctx.set('Referrer-Policy', 'no-referrer');
      ctx.type = 'text/html';
      ctx.body = html;
      return;
    }
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = asset.type;
    ctx.body = await readFile(join(folders[asset.folder] as string, asset.file));
  };
}
