/**
 * Queries of `api_keys`.
 */
import type { StaffKey } from '@carton/auth';
import { type IntegrationPage, paginateIntegration, type TenantDatabase } from '@carton/runtime';
import type { ApiKey, ApiKeyQuery } from './schemas.ts';

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

/** A key that nobody revokes until the transaction ends. */
export async function holdKey(db: TenantDatabase, id: string): Promise<ApiKey | null> {
  const [key] = await db.query<ApiKey>('select * from api_keys where tenant_id = $1 and id = $2 for share', [id]);
  return key ?? null;
}

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

export async function findKeyByHash(db: TenantDatabase, keyHash: string): Promise<ApiKey | null> {
  const [key] = await db.query<ApiKey>('select * from api_keys where tenant_id = $1 and key_hash = $2', [keyHash]);
  return key ?? null;
}

export function listKeys(db: TenantDatabase, query: ApiKeyQuery): Promise<IntegrationPage<ApiKey>> {
  return paginateIntegration(db, db.table<ApiKey>('api_keys'), 'api_keys', query);
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
