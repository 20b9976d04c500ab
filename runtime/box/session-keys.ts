/**
 * The keys that sign shopper sessions. They are stored in the database, so that all replicas of a box share them,
 * sessions survive a restart, and a backup includes them. A process reads them once. A new key is created every month;
 * older ones stay valid for as long as a session they signed may live.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db/database.ts';
import {
  ageOf,
  type IssuedSession,
  issueToken,
  keyIdOf,
  readToken,
  type SessionKey,
  sessionDays,
} from './session-token.ts';

/** Days after which a key is replaced. */
const keyDays = 30;
const secondsADay = 24 * 60 * 60;
/**
 * Age in seconds from which a key signs. A replica that meets an unknown key reads the keys again, at most once in half
 * this time, so every replica knows a key before it signs anything.
 */
const activationSeconds = 60;

/** Of each process: 3 MB at most. */
const maxVerified = 10_000;

/** Sessions are signed since this migration was applied. */
const keysMigration = '20261122013000_core_create_session_keys.js';

interface KeyRow {
  id: number;
  secret: Buffer;
  /** Seconds since its creation, by the clock of the database. */
  age: number;
}

interface LoadedKey extends SessionKey {
  /** Its creation time, by `performance.now()`. */
  createdAt: number;
}

interface LoadedKeys {
  /** Newest first. */
  keys: readonly LoadedKey[];
  readAt: number;
  /**
   * Sessions by tenant and token whose signature was verified with one of these keys: a session has many requests, and
   * the hash takes longer than finding it here.
   */
  verified: LRUCache<string, IssuedSession>;
  /** Until when sessions without a signature may live, and from before when they are; null if there are none. */
  unsigned: { until: number; before: Date } | null;
}

export class SessionKeys {
  readonly #database: Database;
  #loaded: LoadedKeys | undefined;
  #loading: Promise<LoadedKeys> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Sessions of before this time may be without a signature, which an earlier release issued; null once all of them have
   * expired, and in a box that has never run such a release.
   */
  get unsignedBefore(): Date | null {
    const unsigned = this.#loaded?.unsigned;
    return unsigned && unsigned.until > Date.now() ? unsigned.before : null;
  }

  /** Loads the keys, and creates the first one if there are none. To be called before `issue`. */
  async ready(): Promise<void> {
    if (!this.#loaded) await this.#load();
  }

  /** Returns the token of a session of a tenant. */
  issue(tenantId: string, sessionId: string): string {
    const { keys } = this.#loaded as LoadedKeys;
    const now = performance.now();
    const secondsSince = ({ createdAt }: LoadedKey) => (now - createdAt) / 1000;
    const [newest] = keys as readonly [LoadedKey];
    // Another replica may replace it first; a failure is retried with the next session.
    if (secondsSince(newest) > keyDays * secondsADay) this.#replace(newest).catch(() => {});
    const key = keys.find((each) => secondsSince(each) > activationSeconds) ?? (keys.at(-1) as LoadedKey);
    return issueToken(key, tenantId, sessionId);
  }

  /** Returns the session of a token; null when the token is not valid for this tenant. */
  async read(tenantId: string, token: string): Promise<IssuedSession | null> {
    const keyId = keyIdOf(token);
    if (keyId === null) return null;
    // Unambiguous, since a text with a key's id has the length of a token.
    const name = `${tenantId} ${token}`;
    const known = this.#loaded?.verified.get(name);
    if (known) return ageOf(known) < sessionDays ? known : null;
    await this.ready();
    const key = this.#findKey(keyId) ?? (await this.#findNewKey(keyId));
    const session = key ? readToken(key, tenantId, token) : null;
    if (session) this.#loaded?.verified.set(name, session);
    return session;
  }

  #findKey(id: number): LoadedKey | undefined {
    return this.#loaded?.keys.find((key) => key.id === id);
  }

  async #findNewKey(id: number): Promise<LoadedKey | undefined> {
    const { readAt } = this.#loaded as LoadedKeys;
    if (performance.now() - readAt < (activationSeconds * 1000) / 2) return undefined;
    await this.#load();
    return this.#findKey(id);
  }

  /** Loads the keys once for all concurrent callers. */
  #load(): Promise<LoadedKeys> {
    this.#loading ??= this.#fetch().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #fetch(): Promise<LoadedKeys> {
    const { box } = this.#database;
    const query = () =>
      box.query<KeyRow>(
        `select id, secret, extract(epoch from now() - created_at)::float8 as age from session_keys order by id desc`,
      );
    let rows = await query();
    if (rows.length === 0) {
      await this.#insert(1);
      rows = await query();
    }
    const [upgrade] = await box.query<{ age: number; before: Date }>(
      `select extract(epoch from now() - applied_at)::float8 as age, applied_at as before from applied_migrations
        where file = $1 and applied_at > (select min(applied_at) from applied_migrations)`,
      [keysMigration],
    );
    const readAt = performance.now();
    const keys = rows.map((row) => ({
      id: row.id,
      secret: createSecretKey(row.secret),
      createdAt: readAt - row.age * 1000,
    }));
    const unsigned = upgrade
      ? { until: Date.now() + (sessionDays * secondsADay - upgrade.age) * 1000, before: new Date(upgrade.before) }
      : null;
    this.#loaded = { keys, readAt, verified: new LRUCache({ max: maxVerified }), unsigned };
    return this.#loaded;
  }

  async #replace({ id }: LoadedKey): Promise<void> {
    if (this.#loading) return;
    await this.#insert(id + 1);
    const { keys } = await this.#load();
    // All sessions that keys older than this one signed have expired.
    const oldest = keys.find(({ createdAt }) => performance.now() - createdAt > (sessionDays + 1) * secondsADay * 1000);
    if (oldest) await this.#database.box.query('delete from session_keys where id < $1', [oldest.id]);
  }

  /** When two replicas create the same key concurrently, the first insert wins. */
  async #insert(id: number): Promise<void> {
    const values = [id, randomBytes(32)];
    await this.#database.box.query(
      'insert into session_keys (id, secret) values ($1, $2) on conflict (id) do nothing',
      values,
    );
  }
}

const keysOfDatabases = new WeakMap<Database, SessionKeys>();

/** The keys of a box, read once for all that signs. */
export function sessionKeysOf(database: Database): SessionKeys {
  const keys = keysOfDatabases.get(database) ?? new SessionKeys(database);
  keysOfDatabases.set(database, keys);
  return keys;
}
