/**
 * Sessions that releases without signatures issued: such a session stays valid after the upgrade until it would have
 * expired, if a package has data of it from before. Its first use replaces it by a signed one, which gets its data: anyone who
 * else knows the old one (OWASP, session fixation) finds nothing from then on.
 */
import { LRUCache } from 'lru-cache';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';
import { hashToken } from '../http/credentials.ts';
import type { SessionKeys } from './session-keys.ts';
import { isUnsignedToken, newSessionId } from './session-token.ts';

/** What a package stores for sessions, by their hash. */
export interface SessionData {
  /** Whether there is any that was stored before a time. */
  isKnown(db: TenantDatabase, hash: string, before: Date): Promise<boolean>;
  /** Moves all of it to another session; false if there was none. */
  move(tx: TenantDatabase, from: string, to: string): Promise<boolean>;
}
export const sessionData = extensionPoint<SessionData>('shopper.session-data');

/** A page sends several requests at once: for this long, all get the session that the first of them got. */
const sharedMilliseconds = 5000;

export class UnsignedSessions {
  readonly #keys: SessionKeys;
  readonly #replaced = new LRUCache<string, Promise<string | null>>({ max: 1000, ttl: sharedMilliseconds });

  constructor(keys: SessionKeys) {
    this.#keys = keys;
  }

  /** Replaces a session of a release without signatures. Returns the id of the new one; null for any other token. */
  async replace(db: TenantDatabase, token: string): Promise<string | null> {
    if (!isUnsignedToken(token)) return null;
    await this.#keys.ready();
    const before = this.#keys.unsignedBefore;
    if (before === null) return null;
    const key = `${db.tenantId} ${token}`;
    const replaced = this.#replaced.get(key) ?? this.#move(db, hashToken(token), before);
    this.#replaced.set(key, replaced);
    const sessionId = await replaced.catch((error) => {
      this.#replaced.delete(key);
      throw error;
    });
    if (sessionId === null) this.#replaced.delete(key);
    return sessionId;
  }

  async #move(db: TenantDatabase, hash: string, before: Date): Promise<string | null> {
    const known: boolean[] = [];
    for (const { isKnown } of sessionData.of(db)) known.push(await isKnown(db, hash, before));
    if (!known.includes(true)) return null;
    const sessionId = newSessionId();
    return db.transaction(async (tx) => {
      const moved: boolean[] = [];
      for (const { move } of sessionData.of(tx)) moved.push(await move(tx, hash, hashToken(sessionId)));
      return moved.includes(true) ? sessionId : null;
    });
  }
}
