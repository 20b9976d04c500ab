// Reads and changes packuments. A change is applied to what is stored, and written only if that is still the same;
// otherwise it is applied again to what is there now. So no registry overwrites a change of another one.

import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal.ts';
import { type Storage, type Stored, unchanged } from '../storage/storage.ts';
import { createTurns } from '../turns.ts';
import {
  describePackument,
  nextRevision,
  type Packument,
  type PublishedPackage,
  packumentKey,
  parsePackument,
  serializePackument,
} from './packument.ts';

export type Catalogue = {
  /** The facts of a package; undefined if it has no versions. @param packageName validated (`@scope/name`) */
  find(packageName: string): Promise<PublishedPackage | undefined>;
};

export type Packuments = Catalogue & {
  /**
   * Reads a packument, as an object of the caller's own; undefined if the package has no versions.
   * @param maximumAge milliseconds for which what was read before is good enough
   */
  read(packageName: string, maximumAge?: number): Promise<Packument | undefined>;
  /**
   * Changes a packument, durably. `apply` gets the stored one, which it may change and return; it returns undefined if
   * there is nothing to change. It is called again, with what is then stored, if the packument has been changed meanwhile.
   * @throws what `apply` throws; Refusal 503 if others change the packument all the time
   */
  change(packageName: string, apply: (stored: Packument | undefined) => Packument | undefined): Promise<void>;
  /** The names of all packages that have versions. */
  names(): AsyncIterable<string>;
};

export type PackumentsOptions = {
  storage: Storage;
  /** Milliseconds for which a packument is not read again: others may have changed it meanwhile. */
  freshness: number;
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number;
  /** Is called when another registry has changed a packument before this one. */
  onConflict?: () => void;
};

type Cached = {
  content: Buffer;
  /** Undefined if there is no packument. */
  tag: string | undefined;
  readAt: number;
  /** Computed when it is first asked for. */
  published: { is: PublishedPackage | undefined } | undefined;
};

/** Bytes of packuments that are kept in memory. */
const cacheSize = 64 * 1024 ** 2;
/** Attempts of a change, and the longest pause between two of them in milliseconds. */
const mostAttempts = 25;
const longestPause = 1000;

export function openPackuments(options: PackumentsOptions): Packuments {
  const { storage, freshness, elapsed = () => performance.now(), onConflict = () => {} } = options;
  const cache = new LRUCache<string, Cached>({
    maxSize: cacheSize,
    sizeCalculation: ({ content }) => content.length + 1000,
  });
  const reads = new Map<string, Promise<Cached>>();
  const turns = createTurns();

  /** Keeps what was read, unless something newer has been kept since `before`. */
  function keep(packageName: string, before: Cached | undefined, stored: Stored | undefined, readAt: number): Cached {
    const kept: Cached = {
      content: stored?.content ?? Buffer.alloc(0),
      tag: stored?.tag,
      readAt,
      published: undefined,
    };
    if (cache.peek(packageName) === before) cache.set(packageName, kept);
    return kept;
  }

  async function readAgain(packageName: string): Promise<Cached> {
    const before = cache.get(packageName);
    const readAt = elapsed();
    const stored = await storage.read(packumentKey(packageName), before?.tag);
    if (stored !== unchanged) return keep(packageName, before, stored, readAt);
    // Only with a tag that was kept before.
    const same = before as Cached;
    same.readAt = Math.max(same.readAt, readAt);
    return same;
  }

  async function look(packageName: string, maximumAge: number): Promise<Cached> {
    const cached = cache.get(packageName);
    if (cached !== undefined && elapsed() - cached.readAt < maximumAge) return cached;
    // A read that has begun before this call may miss a change that was made before it.
    if (maximumAge === 0) return readAgain(packageName);
    let read = reads.get(packageName);
    if (read === undefined) {
      read = readAgain(packageName).finally(() => reads.delete(packageName));
      reads.set(packageName, read);
    }
    return read;
  }

  async function find(packageName: string): Promise<PublishedPackage | undefined> {
    const cached = await look(packageName, freshness);
    if (cached.published === undefined) {
      const packument = parsePackument(cached.content);
      cached.published = { is: packument && describePackument(packument) };
    }
    return cached.published.is;
  }

  return {
    find,
    async read(packageName, maximumAge = freshness) {
      const packument = parsePackument((await look(packageName, maximumAge)).content);
      return packument && Object.keys(packument.versions).length > 0 ? packument : undefined;
    },
    change: (packageName, apply) =>
      turns.take(packageName, async () => {
        const key = packumentKey(packageName);
        for (let attempt = 1; ; attempt++) {
          const readAt = elapsed();
          const stored = await storage.read(key);
          if (stored === unchanged) throw new Error('no tag was given');
          const changed = apply(stored && parsePackument(stored.content));
          if (changed === undefined) return;
          changed._rev = nextRevision(changed._rev);
          const content = serializePackument(changed);
          const tag = await storage.write(key, content, stored === undefined ? 'new' : { tag: stored.tag });
          if (tag !== undefined) {
            keep(packageName, cache.peek(packageName), { content, tag }, readAt);
            return;
          }
          onConflict();
          if (attempt === mostAttempts) throw busy(packageName);
          await sleep(Math.random() * Math.min(longestPause, 10 * 2 ** attempt));
        }
      }),
    async *names() {
      for await (const key of storage.list('packages/')) {
        const [, packageName] = /^packages\/(@[^/]+\/[^/]+)\/package\.json$/.exec(key) ?? [];
        if (packageName !== undefined && (await find(packageName))) yield packageName;
      }
    },
  };
}

const busy = (packageName: string) =>
  new Refusal(503, 'package_busy', `${packageName} is being changed by others all the time: try again in a moment`);
