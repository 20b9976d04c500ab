/**
 * The sitemap of a store: the public pages that packages list in `storefrontAddresses`. Above the number of addresses
 * that one sitemap may have it is an index of parts. A part is named by its kind and by the place at which it begins.
 */
import { createHash } from 'node:crypto';
import {
  type AddressesVersion,
  notFound,
  type StorefrontAddresses,
  storefrontAddresses,
  TaggedChunks,
  type TenantDatabase,
} from '@carton/runtime';
import { entriesIn, maximumAddresses, readPart } from './parts.ts';
import { indexOf, sitemapOf } from './xml.ts';

/** A kind of pages at its current version; null for one that is read at each request. */
interface VersionedKind {
  kind: StorefrontAddresses;
  version: AddressesVersion | null;
}

/** Where a part is. */
interface Place extends VersionedKind {
  /** The place after which it begins; null for the beginning. */
  after: string | null;
}

/** The sitemap, or the index of its parts. Parts that are not kept are read twice: to count them, and to return them. */
export async function readSitemap(db: TenantDatabase, origin: string): Promise<TaggedChunks> {
  const kinds = await Promise.all(storefrontAddresses.of(db).map((kind) => versioned(db, kind)));
  const places: Place[] = [];
  const digests: string[] = [];
  let count = 0;
  for (const each of kinds) {
    let after: string | null = null;
    do {
      const part = await readPart(db, each.kind, after, each.version);
      if (part.count > 0) places.push({ ...each, after });
      count += part.count;
      digests.push(part.digest);
      after = part.next;
    } while (after !== null);
  }
  const isIndex = count > maximumAddresses;
  const content = isIndex ? indexOf(origin, places.map(pathOf)) : sitemapOf(origin, entriesAt(db, places));
  return new TaggedChunks(versionOf(origin, isIndex ? places.map(pathOf) : digests), content);
}

/** What tells a sitemap from others: its address, and its entries or their hashes. */
function versionOf(origin: string, content: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([origin, content]))
    .digest('base64url');
}

/**
 * A part of the sitemap by its name. Parts begin where the one before ends: others would be read for each invented name.
 * @throws not_found (404)
 */
export async function readSitemapPart(db: TenantDatabase, origin: string, name: string): Promise<TaggedChunks> {
  const place = parse(db, name);
  if (!place) throw unknownPart(name);
  const { kind, version } = await versioned(db, place.kind);
  let after: string | null = null;
  while (after !== place.after) {
    after = (await readPart(db, kind, after, version)).next;
    if (after === null) throw unknownPart(name);
  }
  const { digest } = await readPart(db, kind, after, version);
  return new TaggedChunks(versionOf(origin, [digest]), sitemapOf(origin, entriesAt(db, [{ kind, after, version }])));
}

const unknownPart = (name: string) => notFound(`There is no sitemap ${name}.`);

async function versioned(db: TenantDatabase, kind: StorefrontAddresses): Promise<VersionedKind> {
  return { kind, version: (await kind.version?.(db)) ?? null };
}

async function* entriesAt(db: TenantDatabase, places: readonly Place[]): AsyncGenerator<string> {
  for (const { kind, after, version } of places) yield* entriesIn(await readPart(db, kind, after, version));
}

const uuid = /^[0-9a-f-]{36}$/;

function pathOf({ kind, after }: Place): string {
  return `/sitemaps/${after === null ? kind.name : `${kind.name}~${after}`}.xml`;
}

/** The part with a name; null if no part can have it. */
function parse(db: TenantDatabase, name: string): Omit<Place, 'version'> | null {
  const [kindName, after = null, ...rest] = name.replace(/\.xml$/, '').split('~');
  const kind = storefrontAddresses.of(db).find((each) => each.name === kindName);
  if (!kind || rest.length > 0 || (after !== null && !uuid.test(after))) return null;
  return { kind, after };
}

/** Paths at which there is nothing to find, with what is below them. */
const closedPaths = ['/account', '/admin', '/cart', '/checkout', '/member'];

/**
 * What crawlers may read, and where the sitemap is. A rule closes all paths that begin with its text (RFC 9309, section
 * 2.2.2), so each path needs three: `/cart` would close a page `/cartography`, too.
 */
export function robotsText(origin: string): string {
  const closed = closedPaths.flatMap((path) => ['$', '/', '?'].map((end) => `Disallow: ${path}${end}`));
  return ['User-agent: *', ...closed, '', `Sitemap: ${origin}/sitemap.xml`, ''].join('\n');
}
