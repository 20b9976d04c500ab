/**
 * The sitemap of a store: the public pages that packages list in `storefrontAddresses`. Above the number of addresses
 * that one sitemap may have it is an index of parts. A part is named by its kind and by the place at which it begins, so
 * that reading one does not read those before it.
 */
import {
  type Chunks,
  notFound,
  type StorefrontAddress,
  type StorefrontAddresses,
  storefrontAddresses,
  type TenantDatabase,
} from '@carton/runtime';
import { indexOf, sitemapOf } from './xml.ts';

/** The maximum number of addresses of a sitemap (sitemaps.org). */
const maximumAddresses = 50_000;
/** Addresses that are read at once, and in memory. */
const batchSize = 1000;
/** The batches of a part. They may have fewer addresses, so parts begin at the same places while pages come and go. */
const batchesOfPart = maximumAddresses / batchSize;

type Listed = Awaited<ReturnType<StorefrontAddresses['list']>>;

/** A part of the sitemap. */
interface Part {
  kind: StorefrontAddresses;
  /** The place after which it begins; null for the beginning. */
  after: string | null;
}

/** The sitemap, or the index of its parts. Addresses are read twice: to count them, and to return them. */
export async function readSitemap(db: TenantDatabase, origin: string): Promise<Chunks> {
  const { parts, count } = await divide(db);
  if (count > maximumAddresses) return indexOf(origin, parts.map(pathOf));
  return sitemapOf(origin, addressesOf(db, parts));
}

/** A part of the sitemap by its name. @throws not_found (404) */
export async function readSitemapPart(db: TenantDatabase, origin: string, name: string): Promise<Chunks> {
  const part = parse(db, name);
  if (!part) throw notFound(`There is no sitemap ${name}.`);
  return sitemapOf(origin, addressesOf(db, [part]));
}

/** The parts of the sitemap, and the number of all addresses. */
async function divide(db: TenantDatabase): Promise<{ parts: Part[]; count: number }> {
  const parts: Part[] = [];
  let count = 0;
  for (const kind of storefrontAddresses.of(db)) {
    let after: string | null = null;
    do {
      const part: Part = { kind, after };
      let size = 0;
      for (let batch = 0; batch < batchesOfPart && (batch === 0 || after !== null); batch++) {
        const { items, next }: Listed = await kind.list(db, after, batchSize);
        size += items.length;
        after = next;
      }
      if (size > 0) parts.push(part);
      count += size;
    } while (after !== null);
  }
  return { parts, count };
}

async function* addressesOf(db: TenantDatabase, parts: readonly Part[]): AsyncGenerator<StorefrontAddress> {
  for (const { kind, after: begin } of parts) {
    let after = begin;
    for (let batch = 0; batch < batchesOfPart && (batch === 0 || after !== null); batch++) {
      const { items, next }: Listed = await kind.list(db, after, batchSize);
      yield* items;
      after = next;
    }
  }
}

const uuid = /^[0-9a-f-]{36}$/;

function pathOf({ kind, after }: Part): string {
  return `/sitemaps/${after === null ? kind.name : `${kind.name}~${after}`}.xml`;
}

/** The part with a name; null if no part can have it. */
function parse(db: TenantDatabase, name: string): Part | null {
  const [kindName, after = null, ...rest] = name.replace(/\.xml$/, '').split('~');
  const kind = storefrontAddresses.of(db).find((each) => each.name === kindName);
  if (!kind || rest.length > 0 || (after !== null && !uuid.test(after))) return null;
  return { kind, after };
}

/** What crawlers may read, and where the sitemap is. The paths of carts and accounts have nothing to find. */
export function robotsText(origin: string): string {
  const closed = ['/admin/', '/cart', '/checkout', '/member'].map((path) => `Disallow: ${path}`);
  return ['User-agent: *', ...closed, '', `Sitemap: ${origin}/sitemap.xml`, ''].join('\n');
}
