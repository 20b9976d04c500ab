// The control plane's public keys: kept in memory and on disk, so that tokens verify while the control plane is away,
// also for a registry that was restarted meanwhile.

import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { replaceFile } from './files.ts';
import type { Log } from './log.ts';

/** Least time between two fetches that unknown key ids ask for. */
const refetchInterval = 30_000;
/** The same while no key is known at all: a registry that starts before its control plane soon catches up. */
const firstFetchInterval = 1_000;
/** Age at which the keys are fetched again without being asked, so that a withdrawn key stops verifying. */
const refreshAge = 10 * 60_000;
const fetchTimeout = 5_000;

export type SigningKeys = {
  /**
   * The key a token's header names, for `jwtVerify`. Fetches the key set when the key is unknown, at most every 30 s.
   * Rejects with {@link KeysUnavailable} when no key could be had yet, with jose's `JWKSNoMatchingKey` when the key is
   * unknown.
   */
  find: JWTVerifyGetKey;
};

/** No key of the control plane is known: it could not be asked so far. */
export class KeysUnavailable extends Error {}

export type SigningKeysOptions = {
  /** Where the control plane publishes its RFC 7517 key set. */
  keysUrl: string;
  /** File that keeps the last key set fetched. */
  cacheFile: string;
  /** Milliseconds that only ever grow, whatever happens to the machine's date. */
  elapsed: () => number;
  log: Log;
};

/** Opens the key set: reads the copy on disk and asks the control plane for a fresh one without waiting for it. */
export async function openSigningKeys({ keysUrl, cacheFile, elapsed, log }: SigningKeysOptions): Promise<SigningKeys> {
  let search: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const keptCopy = await readFile(cacheFile, 'utf8').catch(() => undefined);
  if (keptCopy !== undefined) {
    try {
      search = createLocalJWKSet(publicPart(JSON.parse(keptCopy)));
    } catch (error) {
      log('warn', 'the kept copy of the signing keys is unreadable', { file: cacheFile, reason: String(error) });
    }
  }

  async function fetchKeys(): Promise<void> {
    try {
      const response = await fetch(keysUrl, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeout) });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      const keySet = publicPart(await response.json());
      search = createLocalJWKSet(keySet);
      fetchedAt = elapsed();
      await replaceFile(cacheFile, JSON.stringify(keySet));
    } catch (error) {
      log('warn', 'the signing keys could not be fetched', { url: keysUrl, reason: describe(error) });
    }
  }

  /** Fetches unless that was just tried; everyone who asks meanwhile waits for the same fetch. */
  function refetch(): Promise<void> {
    const interval = search === undefined ? firstFetchInterval : refetchInterval;
    if (fetching === undefined && elapsed() - attemptedAt >= interval) {
      attemptedAt = elapsed();
      fetching = fetchKeys().finally(() => {
        fetching = undefined;
      });
    }
    return fetching ?? Promise.resolve();
  }

  void refetch();

  return {
    async find(header, token) {
      if (header?.kid === undefined) throw new errors.JWKSNoMatchingKey('the token names no key');
      if (search === undefined) await refetch();
      if (search === undefined) throw new KeysUnavailable();
      if (elapsed() - fetchedAt >= refreshAge) void refetch();
      try {
        return await search(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refetch();
        return await search(header, token);
      }
    },
  };
}

/** Keeps of a key set what verifying needs. Throws when it holds no RSA key with an id. */
function publicPart(value: unknown): JSONWebKeySet {
  const listed = (value as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) throw new Error('this is not a key set');
  const keys = listed
    .filter((key) => key?.kty === 'RSA' && typeof key.kid === 'string')
    .map(({ kid, kty, n, e }) => ({ kid, kty, n, e, alg: 'RS256', use: 'sig' }));
  if (keys.length === 0) throw new Error('the key set holds no usable key');
  return { keys };
}

/** A fetch error's message with its cause, which says what happened. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message || (cause as NodeJS.ErrnoException).code}` : message;
}
