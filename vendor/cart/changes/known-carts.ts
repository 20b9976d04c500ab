/**
 * Which cart an owner is likely to have: that of the last request which this process has answered. A change begins with it
 * before the database has said that it is still the owner's, and begins again if it is not.
 */
import { onceForBox, type TenantDatabase } from '@carton/runtime';
import { LRUCache } from 'lru-cache';
import type { Owner } from '../owner-store.ts';

/** Some 200 bytes each. */
const most = 10_000;

const known = onceForBox(() => new LRUCache<string, string>({ max: most }));

const keyOf = ({ tenantId }: TenantDatabase, { by, key }: Owner) => `${tenantId} ${by} ${key}`;

/** The id of the owner's cart; undefined if it is not known. */
export function knownCartOf(db: TenantDatabase, owner: Owner): string | undefined {
  return known(db).get(keyOf(db, owner));
}

export function rememberCart(db: TenantDatabase, owner: Owner | null, { id }: { id: string }): void {
  if (owner) known(db).set(keyOf(db, owner), id);
}
