// The control plane's public keys, cached in memory and on disk, so that tokens are verified while the control plane is
// unavailable, even after a restart of the registry.

import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { replaceFile } from './files.ts';
import type { Log } from './log.ts';

/** Minimum time between two fetches for unknown key ids. */
const refetchInterval = 30_000;
/** The same while no keys are cached, so that a registry that starts before its control plane soon has them. */
const firstFetchInterval = 1_000;
/** Age at which cached keys are refreshed in the background, so that a withdrawn key stops verifying. */
const refreshAge = 10 * 60_000;
const refreshCheckInterval = 60_000;
const fetchTimeout = 5_000;

export type SigningKeys = {
  /**
   * Finds the key of a token's header, for `jwtVerify`. An unknown key causes a fetch, at most one every 30 s.
   * @throws KeysUnavailable if no keys have been fetched yet, jose's `JWKSNoMatchingKey` if the key is unknown
   */
  find: JWTVerifyGetKey;
  /** Seconds since the keys were last fetched, or since they were opened. */
  age(): number;
  /** Ends a fetch in progress; resolves when the keys that were fetched are on disk. */
  stop(): Promise<void>;
};

/** No public keys are cached, and the control plane is unavailable. */
export class KeysUnavailable extends Error {}

export type SigningKeysOptions = {
  /** URL of the control plane's JSON Web Key Set (RFC 7517). */
  keysUrl: string;
  /** File that caches the key set. */
  cacheFile: string;
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  log: Log;
};

/** Opens the key set: reads the file, and fetches the keys without waiting for them. */
export async function openSigningKeys({ keysUrl, cacheFile, elapsed, log }: SigningKeysOptions): Promise<SigningKeys> {
  let keySet: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;
  const stopping = new AbortController();

  const cached = await readFile(cacheFile, 'utf8').catch(() => undefined);
  if (cached !== undefined) {
    try {
      keySet = createLocalJWKSet(selectPublicKeys(JSON.parse(cached)));
    } catch (error) {
      log('warn', 'the cached signing keys are unreadable', { file: cacheFile, reason: String(error) });
    }
  }

  async function fetchKeys(): Promise<void> {
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(fetchTimeout)]);
      const response = await fetch(keysUrl, { redirect: 'error', signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const keys = selectPublicKeys(await response.json());
      keySet = createLocalJWKSet(keys);
      fetchedAt = elapsed();
      await replaceFile(cacheFile, JSON.stringify(keys));
    } catch (error) {
      if (stopping.signal.aborted) return;
      log('warn', 'the signing keys could not be fetched', { url: keysUrl, reason: describe(error) });
    }
  }

  /** Fetches the keys unless that was tried within the interval. Concurrent callers share one fetch. */
  function refetch(): Promise<void> {
    const interval = keySet === undefined ? firstFetchInterval : refetchInterval;
    if (fetching === undefined && elapsed() - attemptedAt >= interval) {
      attemptedAt = elapsed();
      fetching = fetchKeys().finally(() => {
        fetching = undefined;
      });
    }
    return fetching ?? Promise.resolve();
  }

  void refetch();
  // Without requests, nothing else would refresh the keys.
  const refreshing = setInterval(() => {
    if (elapsed() - fetchedAt >= refreshAge) void refetch();
  }, refreshCheckInterval).unref();
  const openedAt = elapsed();

  return {
    age: () => (elapsed() - Math.max(fetchedAt, openedAt)) / 1000,
    async find(header, token) {
      if (header?.kid === undefined) throw new errors.JWKSNoMatchingKey('the token has no key id');
      if (keySet === undefined) await refetch();
      if (keySet === undefined) throw new KeysUnavailable();
      if (elapsed() - fetchedAt >= refreshAge) void refetch();
      try {
        return await keySet(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refetch();
        return await keySet(header, token);
      }
    },
    async stop() {
      stopping.abort();
      clearInterval(refreshing);
      await fetching;
    },
  };
}

/**
 * Selects the members of RSA keys that verification needs.
 * @throws Error if there is no RSA key with an id
 */
function selectPublicKeys(value: unknown): JSONWebKeySet {
  const listed = (value as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) throw new Error('the response is not a key set');
  const keys = listed
    .filter((key) => key?.kty === 'RSA' && typeof key.kid === 'string')
    .map(({ kid, kty, n, e }) => ({ kid, kty, n, e, alg: 'RS256', use: 'sig' }));
  if (keys.length === 0) throw new Error('the key set contains no usable key');
  return { keys };
}

/** The message of a fetch error with that of its cause. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}` : message;
}
