/**
 * Queries of `api_keys`.
 */
import { type Page, paginate, type TenantDatabase } from '@carton/runtime';
import type { ApiKey } from './schemas.ts';

/** A key's last use is written at most this often. */
const minutesBetweenUses = 15;

export async function findKeyById(db: TenantDatabase, id: string): Promise<ApiKey | null> {
  const [key] = await db.query<ApiKey>('select * from api_keys where tenant_id = $1 and id = $2', [id]);
  return key ?? null;
}

/** A key that stays as it is until the transaction ends. */
export async function lockKey(db: TenantDatabase, id: string): Promise<ApiKey | null> {
  const [key] = await db.query<ApiKey>('select * from api_keys where tenant_id = $1 and id = $2 for update', [id]);
  return key ?? null;
}

export async function findKeyByHash(db: TenantDatabase, keyHash: string): Promise<ApiKey | null> {
  const [key] = await db.query<ApiKey>('select * from api_keys where tenant_id = $1 and key_hash = $2', [keyHash]);
  return key ?? null;
}

export function listKeys(db: TenantDatabase, query: { limit: number; cursor?: string }): Promise<Page<ApiKey>> {
  return paginate(db.table<ApiKey>('api_keys'), 'api_keys', query);
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
