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

/** In place of the origin in entries: no character of XML. */
const originMark = '\0';
const anyOrigin = 'https://localhost';

/** An absolute address, percent-encoded and escaped, with the mark in place of its origin. */
function location(path: string): string {
  return `<loc>${originMark}${escapeXml(new URL(`${anyOrigin}${path}`).href.slice(anyOrigin.length))}</loc>`;
}

/** Entries of a sitemap for any origin. */
export function entriesOf(addresses: Iterable<StorefrontAddress>): string {
  let entries = '';
  for (const { path, changedAt } of addresses) {
    entries += `<url>${location(path)}<lastmod>${escapeXml(changedAt)}</lastmod></url>\n`;
  }
  return entries;
}

const withOrigin = (origin: string, text: string) => text.replaceAll(originMark, () => escapeXml(origin));

/** A sitemap. It is produced in parts, so that it is never all in memory. */
export async function* sitemapOf(origin: string, entries: AsyncIterable<string>): AsyncGenerator<string> {
  const { origin: normalized } = new URL(origin);
  yield `${head}<urlset ${namespace}>\n`;
  for await (const text of entries) yield withOrigin(normalized, text);
  yield '</urlset>\n';
}

/** An index of sitemaps, by their paths. */
export async function* indexOf(origin: string, paths: Iterable<string>): AsyncGenerator<string> {
  yield `${head}<sitemapindex ${namespace}>\n`;
  const { origin: normalized } = new URL(origin);
  for (const path of paths) yield withOrigin(normalized, `<sitemap>${location(path)}</sitemap>\n`);
  yield '</sitemapindex>\n';
}
