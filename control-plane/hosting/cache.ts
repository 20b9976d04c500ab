/**
 * A cache of lookups that answers from memory while what it asks is away. Concurrent lookups of one key are one.
 */

export interface CacheOptions<T> {
  /** Looks a key up. A rejection means that it is not known whether there is a value. */
  load(key: string): Promise<T>;
  /** Values that say that there is none are kept apart, so that they cannot displace others. */
  isMissing(value: T): boolean;
  /** The most values, and the most missing ones; beyond it, those unused for longest are forgotten. */
  most: number;
  /** Milliseconds in which a value is not looked up again. */
  fresh: number;
  /** The same for a missing one. */
  freshMissing: number;
  /** Milliseconds after its lookup in which a value is used in place of a failed lookup. */
  stale: number;
  /** Milliseconds until the lookup after a failed one. */
  pause: number;
}

interface Entry<T> {
  value: T;
  loadedAt: number;
  /** When it is looked up again. */
  until: number;
}

export interface Cache<T> {
  /** @throws what `load` rejects with, if there is no value to use in its place */
  get(key: string): Promise<T>;
  /** Numbers of values and of missing ones. */
  readonly size: { found: number; missing: number };
}

/** @param now milliseconds of a monotonic clock; tests pass their own */
export function openCache<T>(options: CacheOptions<T>, now: () => number = () => performance.now()): Cache<T> {
  const found = new Map<string, Entry<T>>();
  const missing = new Map<string, Entry<T>>();
  const failures = new Map<string, { error: unknown; until: number }>();
  const pending = new Map<string, Promise<T>>();

  function store<V>(entries: Map<string, V>, key: string, entry: V): void {
    entries.delete(key);
    if (entries.size >= options.most) entries.delete(entries.keys().next().value as string);
    entries.set(key, entry);
  }

  async function look(key: string): Promise<T> {
    try {
      const value = await options.load(key);
      const isMissing = options.isMissing(value);
      const loadedAt = now();
      const until = loadedAt + (isMissing ? options.freshMissing : options.fresh);
      failures.delete(key);
      (isMissing ? found : missing).delete(key);
      store(isMissing ? missing : found, key, { value, loadedAt, until });
      return value;
    } catch (error) {
      const until = now() + options.pause;
      const entry = found.get(key);
      if (entry && now() - entry.loadedAt <= options.stale) {
        entry.until = until;
        return entry.value;
      }
      store(failures, key, { error, until });
      throw error;
    } finally {
      pending.delete(key);
    }
  }

  return {
    async get(key) {
      const entry = found.get(key) ?? missing.get(key);
      if (entry && entry.until > now()) {
        // The order of the map is that of use.
        store(found.has(key) ? found : missing, key, entry);
        return entry.value;
      }
      const failure = failures.get(key);
      if (failure && failure.until > now()) throw failure.error;
      const lookup = pending.get(key) ?? look(key);
      pending.set(key, lookup);
      return lookup;
    },
    get size() {
      return { found: found.size, missing: missing.size };
    },
  };
}
