/**
 * Queries of `api_keys`.
 */
import type { StaffKey } from '@carton/auth';
import { rows, type TenantDatabase } from '@carton/runtime';
import type { ApiKey } from './schemas.ts';

/** A key's last use is written at most this often. */
const minutesBetweenUses = 15;

export const apiKeys = rows<ApiKey & { keyHash: string }>({ table: 'api_keys', noun: 'API key', json: ['metadata'] });

/** The newest keys for which a member of staff answers. */
export function listKeysOf(db: TenantDatabase, staffUserId: string, limit: number): Promise<StaffKey[]> {
  return db.query<StaffKey>(
    `select id, name, last_four, created_at, revoked_at from api_keys
      where tenant_id = $1 and created_by_id = $2 order by id desc limit $3`,
    [staffUserId, limit],
  );
}

/** The keys that hold and for which a member of staff answers; they stay as they are until the transaction ends. */
export function lockKeysOf(db: TenantDatabase, staffUserId: string): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    `select * from api_keys where tenant_id = $1 and created_by_id = $2 and revoked_at is null
      order by id for update`,
    [staffUserId],
  );
}

/** Notes that a key was used. Most requests find that noted, and write nothing. */
export async function noteUse(
  db: TenantDatabase,
  { id, lastUsedAt }: Pick<ApiKey, 'id' | 'lastUsedAt'>,
): Promise<void> {
  if (lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < minutesBetweenUses * 60 * 1000) return;
  await db.query(
    `update api_keys set last_used_at = now()
      where tenant_id = $1 and id = $2 and (last_used_at is null or last_used_at <= now() - interval '${minutesBetweenUses} minutes')`,
    [id],
  );
}
