/**
 * The secrets that shoppers' sessions are signed with: kept in the database, so that all replicas of a box have the
 * same, sessions outlive a restart, and a backup holds them. They are read once. A new one is made every month; the
 * ones before go on being believed for as long as a session they signed may live.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { type IssuedSession, issueToken, keyIdOf, readToken, type SessionKey, sessionDays } from './session-token.ts';

/** Days after which a key signs no more. */
const keyDays = 30;
const secondsADay = 24 * 60 * 60;
/**
 * A key signs only when it is older than this, in seconds, and whoever meets a key that it does not know reads the keys
 * again unless it did so less than half of this ago: so each replica knows a key before it meets it.
 */
const settlingSeconds = 60;

/** When it was applied, the box began to sign sessions. */
const keysMigration = '20261122013000_core_create_session_keys.js';

interface KeyRow {
  id: number;
  secret: Buffer;
  /** Seconds since it was made, by the clock of the database. */
  age: number;
}

interface KnownKey extends SessionKey {
  /** When it was made, by `performance.now()`. */
  madeAt: number;
}

interface KnownKeys {
  /** The newest first. */
  keys: readonly KnownKey[];
  readAt: number;
  /** Milliseconds since 1970. */
  unsignedUntil: number;
}

export class SessionKeys {
  readonly #database: Database;
  #known: KnownKeys | undefined;
  #reading: Promise<KnownKeys> | undefined;

  /** Reads nothing yet. */
  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Until when sessions that the release before issued, which have no signature, are looked up: as long as one of them
   * may live. Milliseconds since 1970.
   */
  get unsignedUntil(): number {
    return this.#known?.unsignedUntil ?? 0;
  }

  /** Has the keys read, and made if there are none: `issue` needs them. */
  async ready(): Promise<void> {
    if (!this.#known) await this.#read();
  }

  /** The token of a session in a shop. */
  issue(tenantId: string, name: string): string {
    const { keys } = this.#known as KnownKeys;
    const now = performance.now();
    const ageOf = ({ madeAt }: KnownKey) => (now - madeAt) / 1000;
    const [newest] = keys as readonly [KnownKey];
    // Another replica may be quicker; what fails is tried at the next session.
    if (ageOf(newest) > keyDays * secondsADay) this.#replace(newest).catch(() => {});
    const key = keys.find((each) => ageOf(each) > settlingSeconds) ?? (keys.at(-1) as KnownKey);
    return issueToken(key, tenantId, name);
  }

  /** The session of a token, null when it is none of this shop. */
  async read(tenantId: string, token: string): Promise<IssuedSession | null> {
    const keyId = keyIdOf(token);
    if (keyId === null) return null;
    await this.ready();
    const key = this.#keyOf(keyId) ?? (await this.#keyThatIsNew(keyId));
    return key ? readToken(key, tenantId, token) : null;
  }

  #keyOf(id: number): KnownKey | undefined {
    return this.#known?.keys.find((key) => key.id === id);
  }

  async #keyThatIsNew(id: number): Promise<KnownKey | undefined> {
    const { readAt } = this.#known as KnownKeys;
    if (performance.now() - readAt < (settlingSeconds * 1000) / 2) return undefined;
    await this.#read();
    return this.#keyOf(id);
  }

  /** Reads the keys, however many ask for it at once. */
  #read(): Promise<KnownKeys> {
    this.#reading ??= this.#fetch().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #fetch(): Promise<KnownKeys> {
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
    const [{ age = 0 } = {}] = await box.query<{ age: number }>(
      `select extract(epoch from now() - applied_at)::float8 as age from applied_migrations where file = $1`,
      [keysMigration],
    );
    const readAt = performance.now();
    const keys = rows.map((row) => ({
      id: row.id,
      secret: createSecretKey(row.secret),
      madeAt: readAt - row.age * 1000,
    }));
    const unsignedUntil = Date.now() + (sessionDays * secondsADay - age) * 1000;
    this.#known = { keys, readAt, unsignedUntil };
    return this.#known;
  }

  async #replace({ id }: KnownKey): Promise<void> {
    if (this.#reading) return;
    await this.#insert(id + 1);
    const { keys } = await this.#read();
    // What the keys before this one signed is over.
    const settled = keys.find(({ madeAt }) => performance.now() - madeAt > (sessionDays + 1) * secondsADay * 1000);
    if (settled) await this.#database.box.query('delete from session_keys where id < $1', [settled.id]);
  }

  /** Two replicas that make the same key at once: the first is the one. */
  async #insert(id: number): Promise<void> {
    const values = [id, randomBytes(32)];
    await this.#database.box.query(
      'insert into session_keys (id, secret) values ($1, $2) on conflict (id) do nothing',
      values,
    );
  }
}
