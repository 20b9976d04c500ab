/**
 * Queries of `api_keys`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { StoredKey } from './schemas.ts';

/** The last use of a key is written at most this often. */
const minutesBetweenUses = 15;

export const apiKeys = rows<StoredKey & { keyHash: string }>({
  table: 'api_keys',
  noun: 'API key',
  json: ['metadata'],
});

/** A key above another. */
export type Ancestor = Pick<StoredKey, 'id' | 'scopes' | 'revokedAt' | 'expiresAt'>;

/** A key and those above it, in this order. */
export function findAncestors(db: TenantDatabase, id: string): Promise<Ancestor[]> {
  return db.query<Ancestor>(
    `with recursive above as (
       select id, parent_id, scopes, revoked_at, expires_at, 1 as distance
         from api_keys where tenant_id = $1 and id = $2
        union all
       select parent.id, parent.parent_id, parent.scopes, parent.revoked_at, parent.expires_at, distance + 1
         from above join api_keys parent on parent.tenant_id = $1 and parent.id = above.parent_id
     )
     select id, scopes, revoked_at, expires_at from above order by distance`,
    [id],
  );
}

/** Records that a key was used. Most requests write nothing. */
export async function recordUse(
  db: TenantDatabase,
  { id, lastUsedAt }: Pick<StoredKey, 'id' | 'lastUsedAt'>,
): Promise<void> {
  if (lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < minutesBetweenUses * 60 * 1000) return;
  await db.query(
    `update api_keys set last_used_at = now()
      where tenant_id = $1 and id = $2 and (last_used_at is null or last_used_at <= now() - interval '${minutesBetweenUses} minutes')`,
    [id],
  );
}
