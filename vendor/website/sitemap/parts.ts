/**
 * The parts of a sitemap, kept in memory: the addresses of one kind from a place on, at most as many as a sitemap may have.
 *
 * A kept part is used as long as its kind has the version at which it was read, so a change shows at the next request, on
 * every box of the database. A transaction that takes its time may commit behind the version of a later one, and an
 * operator may change rows with psql: so a part that was read soon after a change is kept for seconds, and none for longer
 * than ten minutes. Parts do not have the origin of the website, so hosts share them, and they are compressed.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type AddressesVersion, onceForBox, type StorefrontAddresses, type TenantDatabase } from '@carton/runtime';
import { LRUCache } from 'lru-cache';
import { entriesOf } from './xml.ts';

/** The maximum number of addresses of a sitemap (sitemaps.org). */
export const maximumAddresses = 50_000;
/** Addresses that are read at once. */
const batchSize = 1000;
/** The batches of a part. They may have fewer addresses, so parts begin at the same places while pages come and go. */
const batchesOfPart = maximumAddresses / batchSize;

/** Bytes that a box keeps of all stores; a part of 50,000 addresses has about half a million. */
const keptBytes = 16_000_000;
/** Bytes that an entry takes besides its content. */
const overhead = 1000;
/** Seconds after a change in which a transaction that began before it may be committed. */
const openSeconds = 60;
const lifetimes = { soon: 10_000, later: 600_000 };

export interface Part {
  /** How many addresses it has. */
  readonly count: number;
  /** The place after which the following part begins; null after the last. */
  readonly next: string | null;
  /** A hash of its entries. */
  readonly digest: string;
  /** The entries, as `entriesOf` returns them, compressed by themselves. */
  readonly batches: readonly Buffer[];
}

interface Kept {
  version: string;
  /** In milliseconds, by `performance.now()`. */
  validUntil: number;
  part: Part;
}

const partsOf = onceForBox(() => ({
  kept: new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ part }, key) => part.batches.reduce((size, { length }) => size + length, overhead + key.length),
  }),
  /** Parts that are being read. */
  reading: new Map<string, Promise<Part>>(),
}));

/** Returns the part of a kind that begins after a place. @param version null for a kind that is not kept */
export async function readPart(
  db: TenantDatabase,
  kind: StorefrontAddresses,
  after: string | null,
  version: AddressesVersion | null,
): Promise<Part> {
  if (version === null) return (await read(db, kind, after)).part;
  const { kept, reading } = partsOf(db);
  const key = JSON.stringify([db.tenantId, kind.name, after]);
  const found = kept.get(key);
  if (found?.version === version.text && performance.now() < found.validUntil) return found.part;

  const readingKey = JSON.stringify([key, version.text]);
  const shared = reading.get(readingKey);
  // What ends the request of another caller is no fault of this one.
  if (shared) return shared.catch(() => readPart(db, kind, after, version));
  const result = keep(db, kind, after, version, kept, key);
  reading.set(readingKey, result);
  try {
    return await result;
  } finally {
    reading.delete(readingKey);
  }
}

async function keep(
  db: TenantDatabase,
  kind: StorefrontAddresses,
  after: string | null,
  { text, age }: AddressesVersion,
  kept: LRUCache<string, Kept>,
  key: string,
): Promise<Part> {
  const begin = performance.now();
  const { part, changesIn } = await read(db, kind, after);
  const isSoon = age !== null && age <= openSeconds;
  const lifetime = isSoon ? lifetimes.soon : lifetimes.later;
  kept.set(key, { version: text, validUntil: begin + Math.min(lifetime, changesIn ?? lifetime), part });
  return part;
}

/** Reads a part from the database. */
async function read(db: TenantDatabase, kind: StorefrontAddresses, begin: string | null) {
  const batches: Buffer[] = [];
  const hash = createHash('sha256');
  let changesIn: number | null = null;
  let count = 0;
  let after = begin;
  for (let batch = 0; batch < batchesOfPart && (batch === 0 || after !== null); batch++) {
    const page = await kind.list(db, after, batchSize);
    if (page.items.length > 0) {
      const entries = entriesOf(page.items);
      hash.update(entries);
      batches.push(await promisify(gzip)(entries, { level: 1 }));
    }
    if (typeof page.changesIn === 'number') changesIn = Math.min(changesIn ?? Number.POSITIVE_INFINITY, page.changesIn);
    count += page.items.length;
    after = page.next;
  }
  return { part: { count, next: after, digest: hash.digest('base64url'), batches }, changesIn };
}

/** The entries of a part, batch by batch. */
export async function* entriesIn({ batches }: Part): AsyncGenerator<string> {
  for (const batch of batches) yield (await promisify(gunzip)(batch)).toString();
}
