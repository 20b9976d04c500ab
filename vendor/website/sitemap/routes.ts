/**
 * Routes of the sitemap and of robots.txt, for search engines.
 */
import { notFound, object, route, Type } from '@carton/runtime';
import { originOf } from '../hosts.ts';
import { readSitemap, readSitemapPart, robotsText } from './service.ts';

const common = { tag: 'Sitemap', method: 'get', access: 'public', shared: true, status: 200 } as const;
const xml = { ...common, mediaType: 'application/xml; charset=utf-8', streamed: true, tagged: true } as const;

export const sitemap = route(
  {
    ...xml,
    path: '/sitemap.xml',
    operationId: 'readSitemap',
    summary: 'Read the sitemap of the public products, categories and pages',
    description: 'Above 50,000 addresses it is an index of sitemaps.',
  },
  async ({ db, ...request }) => readSitemap(db, await originOf(db, request)),
);

export const sitemapPart = route(
  {
    ...xml,
    path: '/sitemaps/:page',
    operationId: 'readSitemapPage',
    summary: 'Read a sitemap of the index',
    params: object({ page: Type.String({ minLength: 1, maxLength: 120, examples: ['products.xml'] }) }),
    problems: [notFound],
    beyond: true,
  },
  async ({ db, params, ...request }) => readSitemapPart(db, await originOf(db, request), params.page),
);

export const robots = route(
  {
    ...common,
    path: '/robots.txt',
    operationId: 'readRobots',
    summary: 'Read the rules for crawlers, with the address of the sitemap',
    mediaType: 'text/plain; charset=utf-8',
    beyond: true,
  },
  async ({ db, ...request }) => robotsText(await originOf(db, request)),
);
