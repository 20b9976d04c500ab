/**
 * The formats of sitemaps (sitemaps.org, version 0.9).
 */
import type { StorefrontAddress } from '@carton/runtime';

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}

/** An absolute address, percent-encoded and escaped. */
function location(origin: string, path: string): string {
  return `<loc>${escapeXml(new URL(`${origin}${path}`).href)}</loc>`;
}

/** A sitemap. It is produced address by address, so that it is never all in memory. */
export async function* sitemapOf(origin: string, addresses: AsyncIterable<StorefrontAddress>): AsyncGenerator<string> {
  yield `${head}<urlset ${namespace}>\n`;
  for await (const { path, changedAt } of addresses) {
    yield `<url>${location(origin, path)}<lastmod>${escapeXml(changedAt)}</lastmod></url>\n`;
  }
  yield '</urlset>\n';
}

/** An index of sitemaps, by their paths. */
export async function* indexOf(origin: string, paths: Iterable<string>): AsyncGenerator<string> {
  yield `${head}<sitemapindex ${namespace}>\n`;
  for (const path of paths) yield `<sitemap>${location(origin, path)}</sitemap>\n`;
  yield '</sitemapindex>\n';
}
