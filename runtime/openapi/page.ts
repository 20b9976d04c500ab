/**
 * Renders the page of the explorer: swagger-ui with our header and table of contents.
 */
import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { koaSwagger } from 'koa2-swagger-ui';
import { vendor } from '../vendor.ts';

export interface ExplorerOptions {
  /** Path of the page; the document is at `<path>/json`. */
  path?: string;
  title: string;
  /** The API in one sentence. */
  description?: string;
  /** Further words in the header: tier, version. */
  badges?: readonly string[];
}

/**
 * Returns the library's page with our header, contents and colours, without the font sheet that it would load from
 * another origin, and a content security policy with the hashes of its scripts (CSP 3, section 2.3.1).
 */
export async function renderPage(
  options: ExplorerOptions & { path: string },
): Promise<{ html: string; policy: string }> {
  const { path, title } = options;
  const assetPath = `${path}/assets`;
  const render = koaSwagger({
    title,
    routePrefix: false,
    hideTopbar: true,
    swaggerCdnUrl: path,
    swaggerVersion: 'assets',
    favicon: `${assetPath}/favicon.svg`,
    swaggerOptions: {
      dom_id: '#swagger-ui',
      url: `${path}/json`,
      layout: 'StandaloneLayout',
      validatorUrl: null,
      docExpansion: 'none',
      deepLinking: true,
      displayRequestDuration: true,
      persistAuthorization: true,
      defaultModelsExpandDepth: 0,
      // Names defined in explorer.js: the template inserts these two into its script verbatim.
      plugins: 'explorerPlugin',
      onComplete: 'explorerReady',
    } as never,
  });
  const ctx = { path: '/' } as Context;
  await (render as unknown as Middleware)(ctx as never, async () => {});
  const html = String(ctx.body)
    .replace(/\s*<link href="https?:[^>]*>/g, '')
    .replace('type="image/png"', 'type="image/svg+xml"')
    .replace(
      '<meta http-equiv="X-UA-Compatible" content="IE=edge">',
      '<meta name="viewport" content="width=device-width">',
    )
    .replace('</head>', `  <link rel="stylesheet" href="${assetPath}/explorer.css">\n</head>`)
    .replace('<div id="swagger-ui"></div>', `${frame(options)}\n<script src="${assetPath}/explorer.js"></script>`);
  const hashes = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script]) =>
      `'sha256-${createHash('sha256')
        .update(script as string)
        .digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    // Swagger UI sets style attributes while it renders.
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

/** The HTML around the operations. */
function frame({ path, title, description = '', badges = [] }: ExplorerOptions & { path: string }): string {
  const shown = badges.map((badge) => `<span class="explorer-badge">${escapeText(badge)}</span>`).join('\n  ');
  return `
<header class="explorer-header">
  <span class="explorer-brand"><img src="${path}/assets/favicon.svg" alt="" width="24" height="24">${escapeText(vendor.name)}</span>
  <h1>${escapeText(title)}</h1>
  ${shown}
  <a href="${path}/json">OpenAPI document</a>
</header>
<div class="explorer-body">
  <details class="explorer-contents">
    <summary>Contents</summary>
    <form role="search"><label>Find an operation <input type="search"></label></form>
    <nav aria-label="Contents"><ul class="explorer-groups"></ul><p class="explorer-none" hidden>No matching operations.</p></nav>
  </details>
  <main>
    <p class="explorer-lead">${escapeText(description)}</p>
    <div id="swagger-ui"></div>
  </main>
</div>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
