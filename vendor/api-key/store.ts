/**
 * Queries of `api_keys`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { ApiKey } from './schemas.ts';

/** The last use of a key is written at most this often. */
const minutesBetweenUses = 15;

export const apiKeys = rows<ApiKey & { keyHash: string }>({ table: 'api_keys', noun: 'API key', json: ['metadata'] });

/** Records that a key was used. Most requests write nothing. */
export async function recordUse(
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
